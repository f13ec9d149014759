public import FoundationEssentials

/// Gives an activity to the objects of an app that have a part in it, and returns when each of them has taken it.
public typealias RestorationHandler = @Sendable ([any UserActivityResponder]) async -> Void

/// What an app does that continues activities of other devices.
///
/// After each ``application(_:willContinueUserActivityWithType:from:)`` comes exactly one of
/// ``application(_:continue:restorationHandler:)`` and ``application(_:didFailToContinueUserActivityWithType:error:)``.
///
/// Its methods run where the conforming type says, as those of ``UserActivityDelegate``.
public protocol HandoffApplicationDelegate: AnyObject, Sendable {
    /// Takes in that an activity is coming, from the device of that name.
    ///
    /// - Returns: whether the app shows that it waits; false without this method.
    func application(
        _ handoff: Handoff,
        willContinueUserActivityWithType userActivityType: String,
        from deviceName: String
    ) async -> Bool

    /// Goes on with an activity, within 30 seconds.
    ///
    /// Hand the objects that have a part in it to `restorationHandler`: each gets
    /// ``UserActivityResponder/restoreUserActivityState(_:)``. The activity is kept for as long as the app has a reference to
    /// it; to go on being its origin here, call ``UserActivity/becomeCurrent()``.
    ///
    /// - Returns: whether the app goes on with it; after false, its web page opens in the browser.
    func application(
        _ handoff: Handoff,
        continue userActivity: UserActivity,
        restorationHandler: @escaping RestorationHandler
    ) async -> Bool

    /// Takes in that an activity does not come, and why; `error` with ``HandoffReason/userCancelled`` is nothing to show.
    func application(
        _ handoff: Handoff,
        didFailToContinueUserActivityWithType userActivityType: String,
        error: CocoaError
    ) async

    /// Sees an activity of this app just before it goes to another device, with everything that was added to it.
    func application(_ handoff: Handoff, didUpdate userActivity: UserActivity) async

    /// Takes in that there is no Handoff, and why; nil when there is again.
    ///
    /// Nothing has to be done: what was current is current again once there is.
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
    ) async {}

    public func application(_ handoff: Handoff, didUpdate userActivity: UserActivity) async {}

    public func application(_ handoff: Handoff, isUnavailable error: CocoaError?) async {}
}
