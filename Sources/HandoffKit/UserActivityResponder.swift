/// An object that contributes state to an activity, such as a window, a view or a document.
///
/// Several responders may share one activity. The conforming type decides on which actor the methods run, as with
/// ``UserActivityDelegate``.
public protocol UserActivityResponder: AnyObject, Sendable {
    /// Adds this object's state to the activity, which is about to be sent to another device.
    ///
    /// `userInfo` is cleared before the first responder is called: add entries with
    /// ``UserActivity/addUserInfoEntries(from:)``.
    func updateUserActivityState(_ activity: UserActivity) async

    /// Restores this object's state from an activity of another device.
    func restoreUserActivityState(_ activity: UserActivity) async
}

extension UserActivityResponder {
    public func updateUserActivityState(_ activity: UserActivity) async {}

    public func restoreUserActivityState(_ activity: UserActivity) async {}
}
