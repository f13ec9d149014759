import HandoffCore

/// How often one device was called because of news of the circle; more is not done, whatever is on the air.
struct UpdateThrottle: Hashable, Sendable {
    /// How often in a slot an invitation is followed.
    static let maximumInvited = 3
    /// Within this time after a call no invitation counts: it may be older than the call.
    static let shortestGap = Duration.seconds(10)

    private var slot: UInt64?
    private var hasCalledForUpdate = false
    private var invitedCalls = 0
    private var isInvited = false
    private var last: Duration?

    /// Takes in that the device advertises to this one alone, which it does when it has news.
    mutating func recordInvitation(at now: Moment) {
        if let last, now.uptime - last < Self.shortestGap { return }
        isInvited = true
    }

    /// Whether the device has to be called; then it counts as called.
    ///
    /// - Parameter hasUpdate: whether the device may not know the state that this one knows.
    mutating func shouldCall(at now: Moment, hasUpdate: Bool) -> Bool {
        if slot != now.slot { (slot, hasCalledForUpdate, invitedCalls) = (now.slot, false, 0) }
        let callsForUpdate = hasUpdate && !hasCalledForUpdate
        let callsForInvitation = isInvited && invitedCalls < Self.maximumInvited
        guard callsForUpdate || callsForInvitation else { return false }
        if callsForUpdate { hasCalledForUpdate = true }
        if callsForInvitation { invitedCalls += 1 }
        isInvited = false
        last = now.uptime
        return true
    }
}
