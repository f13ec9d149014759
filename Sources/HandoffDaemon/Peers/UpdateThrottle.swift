import HandoffCore

/// Limits how often one device is dialled because of circle updates, whatever is advertised.
struct UpdateThrottle: Hashable, Sendable {
    /// The maximum number of invitations followed in a slot.
    static let maximumInvited = 3
    /// The time after a call in which invitations are ignored: they may be older than the call.
    static let shortestGap = Duration.seconds(10)

    private var slot: UInt64?
    private var hasCalledForUpdate = false
    private var invitedCalls = 0
    private var isInvited = false
    private var last: Duration?

    /// Records that the device sends a directed advertisement to this one, as it does when it has a circle update.
    mutating func recordInvitation(at now: Moment) {
        if let last, now.uptime - last < Self.shortestGap { return }
        isInvited = true
    }

    /// Records that somebody has come to this device, and may wait for what the other one knows.
    mutating func somebodyCame() { hasCalledForUpdate = false }

    /// Returns whether the device has to be called; if so, counts the call.
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
