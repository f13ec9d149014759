/// An object that has a part in an activity: a window, a view, a document.
///
/// Several may share one activity. Its methods run where the conforming type says, as those of ``UserActivityDelegate``.
public protocol UserActivityResponder: AnyObject, Sendable {
    /// Adds this object's part to the activity, which is about to go to another device.
    ///
    /// Before the first responder of a round is asked, `userInfo` is empty: add with
    /// ``UserActivity/addUserInfoEntries(from:)``.
    func updateUserActivityState(_ activity: UserActivity) async

    /// Takes this object's part from an activity that came from another device.
    func restoreUserActivityState(_ activity: UserActivity) async
}

extension UserActivityResponder {
    public func updateUserActivityState(_ activity: UserActivity) async {}

    public func restoreUserActivityState(_ activity: UserActivity) async {}
}
