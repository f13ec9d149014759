import HandoffCore

/// Limits how often one device is dialled because of circle updates, whatever is advertised.
struct UpdateThrottle: Hashable, Sendable {
    /// The maximum number of invitations followed in a slot without news.
    ///
    /// Whoever has recorded an invitation can send it again while its slot lasts; what it leads to brings nothing new.
    static let maximumInvited = 3
    /// How many times in a slot news allow ``maximumInvited`` more: as often as a person may put back old copies of a
    /// state, or change the circle, in a quarter of an hour; beyond, a trusted device that invents news would decide how
    /// often it is called.
    static let maximumNews = 4
    /// The time after a call in which invitations are ignored: they may be older than the call.
    static let shortestGap = Duration.seconds(10)

    private var slot: UInt64?
    private var hasCalledForUpdate = false
    private var invitedCalls = 0
    private var news = 0
    private var isInvited = false
    private var last: Duration?

    /// Records that the device sends a directed advertisement to this one, as it does when it has a circle update.
    mutating func recordInvitation(at now: Moment) {
        if let last, now.uptime - last < Self.shortestGap { return }
        isInvited = true
    }

    /// Records that an exchange has shown that the device knows something else than this one remembered: the invitations
    /// of before were no repetitions.
    mutating func recordNews() {
        guard news < Self.maximumNews else { return }
        news += 1
        invitedCalls = 0
    }

    /// Records that somebody has come to this device, and may wait for what the other one knows.
    mutating func somebodyCame() { hasCalledForUpdate = false }

    /// Returns whether the device has to be called; if so, counts the call.
    ///
    /// - Parameter hasUpdate: whether the device may not know the state that this one knows.
    mutating func shouldCall(at now: Moment, hasUpdate: Bool) -> Bool {
        if slot != now.slot { (slot, hasCalledForUpdate, invitedCalls, news) = (now.slot, false, 0, 0) }
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
