public import FoundationEssentials

/// Saves the state of an activity on request, and is notified when another device continues it.
///
/// The requirements are asynchronous so that the conforming type decides where they run: the methods of a `@MainActor`
/// class run on the main actor, those of an actor on that actor, others on any thread. All requirements are optional.
public protocol UserActivityDelegate: AnyObject, Sendable {
    /// Updates the activity: another device is fetching it, and ``UserActivity/needsSave`` was set, or it is fetched for
    /// the first time.
    ///
    /// The document stays in `userInfo` without your doing, also when you replace it.
    ///
    /// The other device gets the state at the time when this method returns. It waits for 3 seconds; after that it gets
    /// the state before the call.
    func userActivityWillSave(_ userActivity: UserActivity) async

    /// Notifies what came of a save: the size of the activity, and whether the daemon has accepted it.
    func userActivity(_ userActivity: UserActivity, didSave result: SaveResult) async

    /// Notifies that something on another device goes on with the activity, which stays valid on this one: an app has
    /// accepted it, or a browser or document viewer has opened it.
    ///
    /// Invalidate it here if it must not continue in two places, such as a mail that is being written.
    func userActivityWasContinued(_ userActivity: UserActivity, on deviceName: String) async

    /// Notifies that another device received the activity, and that nothing there goes on with it, and why.
    ///
    /// Neither this nor ``userActivityWasContinued(_:on:)`` is called when the other device does not report the result,
    /// for example because it has left.
    func userActivity(
        _ userActivity: UserActivity,
        didFailToContinueOn deviceName: String,
        error: CocoaError
    ) async

    /// Serves the streams that the app on another device has opened after it continued the activity.
    ///
    /// Each pair of streams gets a call of its own; calls may run concurrently. When the method returns, the streams
    /// are closed. When it throws, they are reset, so that the other side gets an error.
    func userActivity(
        _ userActivity: UserActivity,
        didReceive streams: ContinuationStreams,
        from deviceName: String
    ) async throws

    /// Notifies that the daemon refused the activity, and why; the next change of the activity tries again.
    ///
    /// The default implementation reports it to the developer, on standard error.
    func userActivity(_ userActivity: UserActivity, didFailToPublish error: CocoaError) async
}

extension UserActivityDelegate {
    public func userActivityWillSave(_ userActivity: UserActivity) async {}

    public func userActivity(_ userActivity: UserActivity, didSave result: SaveResult) async {}

    public func userActivityWasContinued(_ userActivity: UserActivity, on deviceName: String) async {}

    public func userActivity(
        _ userActivity: UserActivity,
        didFailToContinueOn deviceName: String,
        error: CocoaError
    ) async {}

    public func userActivity(
        _ userActivity: UserActivity,
        didReceive streams: ContinuationStreams,
        from deviceName: String
    ) async throws {
        throw CocoaError(.streamsNotSupported, "The app accepts no streams.")
    }

    public func userActivity(_ userActivity: UserActivity, didFailToPublish error: CocoaError) async {
        userActivity.report(error)
    }
}
