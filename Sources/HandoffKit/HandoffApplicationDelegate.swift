public import FoundationEssentials

/// Restores an activity in the given responders; returns when each of them has restored its state.
public typealias RestorationHandler = @Sendable ([any UserActivityResponder]) async -> Void

/// Continues activities of other devices in an app.
///
/// Each ``application(_:willContinueUserActivityWithType:from:)`` is followed by exactly one call of
/// ``application(_:continue:restorationHandler:)`` or ``application(_:didFailToContinueUserActivityWithType:error:)``.
///
/// The conforming type decides on which actor the methods run, as with ``UserActivityDelegate``. All requirements are
/// optional.
public protocol HandoffApplicationDelegate: AnyObject, Sendable {
    /// Notifies that an activity will arrive from the device of that name.
    ///
    /// - Returns: whether the app shows that it is waiting; the default implementation returns false.
    func application(
        _ handoff: Handoff,
        willContinueUserActivityWithType userActivityType: String,
        from deviceName: String
    ) async -> Bool

    /// Continues an activity; has to return within 30 seconds.
    ///
    /// Pass the objects that contribute to it to `restorationHandler`, which calls
    /// ``UserActivityResponder/restoreUserActivityState(_:)`` of each. The activity exists as long as the app has a
    /// reference to it; to publish it from this device in turn, call ``UserActivity/becomeCurrent()``.
    ///
    /// - Returns: whether the app continues it; after false, its web page opens in the browser.
    func application(
        _ handoff: Handoff,
        continue userActivity: UserActivity,
        restorationHandler: @escaping RestorationHandler
    ) async -> Bool

    /// Notifies that an activity will not arrive, and why.
    ///
    /// Remove what ``application(_:willContinueUserActivityWithType:from:)`` showed. Show the user the `error`, unless
    /// its reason is ``HandoffReason/userCancelled`` or it was shown already (`isShownToUser`). The default
    /// implementation does so in a notification, or on standard error if the desktop shows none.
    func application(
        _ handoff: Handoff,
        didFailToContinueUserActivityWithType userActivityType: String,
        error: CocoaError
    ) async

    /// Notifies that an activity of this app, with all its state, is about to be sent to another device.
    func application(_ handoff: Handoff, didUpdate userActivity: UserActivity) async

    /// Notifies that Handoff has become unavailable, and why; nil when it has become available.
    ///
    /// The app need not react: activities that were current become current again once Handoff is available.
    func application(_ handoff: Handoff, isUnavailable error: CocoaError?) async
}

extension HandoffApplicationDelegate {
    public func application(
        _ handoff: Handoff,
        willContinueUserActivityWithType userActivityType: String,
        from deviceName: String
    ) async -> Bool {
        false
    }

    public func application(
        _ handoff: Handoff,
        continue userActivity: UserActivity,
        restorationHandler: @escaping RestorationHandler
    ) async -> Bool {
        false
    }

    public func application(
        _ handoff: Handoff,
        didFailToContinueUserActivityWithType userActivityType: String,
        error: CocoaError
    ) async {
        await handoff.show(error)
    }

    public func application(_ handoff: Handoff, didUpdate userActivity: UserActivity) async {}

    public func application(_ handoff: Handoff, isUnavailable error: CocoaError?) async {}
}
