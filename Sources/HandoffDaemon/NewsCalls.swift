import HandoffCore

/// How often one device was called because of news of the circle; more is not done, whatever is on the air.
struct NewsCalls: Hashable, Sendable {
    /// How often in a slot an invitation is followed.
    static let maximumInvited = 3
    /// Within this time after a call no invitation counts: it may be older than the call.
    static let shortestGap = Duration.seconds(10)

    private var slot: UInt64?
    private var hasTold = false
    private var invitedCalls = 0
    private var isInvited = false
    private var last: Duration?

    /// Takes in that the device advertises to this one alone, which it does when it has news.
    mutating func invited(at now: Moment) {
        if let last, now.uptime - last < Self.shortestGap { return }
        isInvited = true
    }

    /// Whether the device has to be called; then it counts as called.
    ///
    /// - Parameter hasNews: whether the device may not know the state that this one knows.
    mutating func begin(at now: Moment, hasNews: Bool) -> Bool {
        if slot != now.slot { (slot, hasTold, invitedCalls) = (now.slot, false, 0) }
        let tells = hasNews && !hasTold
        let follows = isInvited && invitedCalls < Self.maximumInvited
        guard tells || follows else { return false }
        if tells { hasTold = true }
        if follows { invitedCalls += 1 }
        isInvited = false
        last = now.uptime
        return true
    }
}
