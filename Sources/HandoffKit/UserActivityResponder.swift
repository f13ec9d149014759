/// An object that contributes state to an activity, such as a window, a view or a part of a document.
///
/// ```swift
/// final class Canvas: UserActivityResponder {
///     let userActivityReference = UserActivityReference()
///
///     func updateUserActivityState(_ activity: UserActivity) async {
///         activity.addUserInfoEntries(from: ["zoom": .real(zoom)])
///     }
/// }
///
/// canvas.userActivity = activity
/// ```
///
/// Several responders may share one activity. It ends when the last of them leaves it: by setting ``userActivity`` to
/// nil or to another activity, or by being deallocated. The conforming type decides on which actor the methods run, as
/// with ``UserActivityDelegate``.
public protocol UserActivityResponder: AnyObject, Sendable {
    /// A constant of each object: `let userActivityReference = UserActivityReference()`.
    var userActivityReference: UserActivityReference { get }

    /// Adds this object's state to the activity, which is about to be sent to another device.
    ///
    /// `userInfo` is cleared before the first responder is called: add entries with
    /// ``UserActivity/addUserInfoEntries(from:)``. The document is not cleared.
    func updateUserActivityState(_ activity: UserActivity) async

    /// Restores this object's state from an activity of another device.
    func restoreUserActivityState(_ activity: UserActivity) async
}

extension UserActivityResponder {
    public func updateUserActivityState(_ activity: UserActivity) async {}

    public func restoreUserActivityState(_ activity: UserActivity) async {}

    /// The activity to which this object contributes; nil for none, and once the activity has ended.
    ///
    /// Setting it makes the activity need a save. The activity does not retain this object, but this object retains the
    /// activity.
    public var userActivity: UserActivity? {
        get { userActivityReference.activity }
        set { userActivityReference.set(newValue, for: self) }
    }
}
