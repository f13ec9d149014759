public import FoundationEssentials

/// What an app does when one of its activities is about to go to another device, or has gone.
///
/// The requirements are asynchronous so that the conforming type decides where they run: the methods of a `@MainActor`
/// class run on the main actor, those of an actor on that actor, others anywhere. All of them are optional.
public protocol UserActivityDelegate: AnyObject, Sendable {
    /// Brings the activity up to date: another device is about to get it, and ``UserActivity/needsSave`` was set.
    ///
    /// What was set when this returns is what the device gets. The device waits for 3 seconds; after that it gets what was
    /// set before.
    func userActivityWillSave(_ userActivity: UserActivity) async

    /// Takes in that a device goes on with the activity, which stays as it is.
    ///
    /// Invalidate it here if it must not go on in two places, such as a mail that is being written.
    func userActivityWasContinued(_ userActivity: UserActivity, on deviceName: String) async

    /// Talks with the app that goes on with the activity, on a device of that name.
    ///
    /// Each stream has a call of its own, at the same time as others. The streams are closed when it returns, and break,
    /// so that the other side gets an error, when it throws.
    func userActivity(
        _ userActivity: UserActivity,
        didReceive streams: ContinuationStreams,
        from deviceName: String
    ) async throws

    /// Takes in that the daemon does not want the activity as it is, and why; with the next change it is tried again.
    func userActivity(_ userActivity: UserActivity, didFailToPublish error: CocoaError) async
}

extension UserActivityDelegate {
    public func userActivityWillSave(_ userActivity: UserActivity) async {}

    public func userActivityWasContinued(_ userActivity: UserActivity, on deviceName: String) async {}

    public func userActivity(
        _ userActivity: UserActivity,
        didReceive streams: ContinuationStreams,
        from deviceName: String
    ) async throws {
        throw CocoaError(.streamsNotSupported, "The app takes no streams.")
    }

    public func userActivity(_ userActivity: UserActivity, didFailToPublish error: CocoaError) async {}
}
