package import HandoffModel

/// Decides what is advertised at each moment, and limits how often it changes, for the sake of other devices and the
/// radio.
///
/// Requests may change thousands of times a second; the advertisement changes at most once in half a second, three times
/// in a row and then once in two seconds, and the last request wins. When there is nothing to continue any more, a
/// withdrawal advertisement is sent for a while, so that others drop the entry at once; after that nothing is advertised,
/// or with cover advertisements the withdrawal continues.
package struct AdvertisementPacer: Sendable {
    /// What a device advertises.
    package enum Content: Hashable, Sendable {
        /// This activity can be continued.
        case activity(OfferedActivity, hasWebpage: Bool, hasDocument: Bool = false)
        /// There is nothing to continue any more.
        case withdrawal

        /// The activity; nil for a withdrawal.
        package var activity: OfferedActivity? {
            if case .activity(let activity, _, _) = self { activity } else { nil }
        }
    }

    /// One advertisement to send.
    package struct Broadcast: Hashable, Sendable {
        package let content: Content
        /// Its place in the order of all that this device advertises, with the slot under whose keys it is sealed.
        package let number: AdvertisementNumber
        /// Whether it is new, so that others should receive it soon.
        package let isFresh: Bool

        /// The slot under whose keys it is sealed.
        package var slot: UInt64 { number.slot }
    }

    /// The shortest time between two changes.
    package static let shortestGap = Duration.milliseconds(500)
    /// How many changes may follow each other at ``shortestGap``.
    package static let burst = 3
    /// The time after which one more change is allowed: five in ten seconds when there are many.
    package static let refill = Duration.seconds(2)
    /// How long an advertisement counts as fresh: while its user is about to go on elsewhere (decision 40).
    package static let freshness = Duration.seconds(600)
    /// How long a withdrawal is advertised: a whole cycle of a scanner that listens for one second in four, plus the
    /// 1.28 s between two advertisements of an old bluetoothd.
    package static let withdrawalDuration = Duration.milliseconds(5280)

    private struct OnAir {
        var content: Content
        var number: AdvertisementNumber
        var since: Duration
        /// Whether ``since`` is when the radio began to advertise it, rather than when that was decided.
        var hasBegun = false
        /// Whether it says that somebody has come.
        var isGreeting = false
    }

    /// Whether the withdrawal is advertised for as long as there is nothing to continue, so that outsiders cannot tell
    /// the two states apart.
    package var isCovering = false
    /// Whether the withdrawal is advertised while there is nothing to continue, because a member is greeted for itself
    /// alone (``MemberGreetings``).
    package var isGreetingMember = false

    /// Whether a withdrawal is to be advertised once although nothing was offered.
    private var isGreeting = false
    private var requested: Content?
    private var onAir: OnAir?
    private var numbers = AdvertisementNumbers()
    /// A number that was told before its activity is advertised.
    private var told: (activity: OfferedActivity, number: AdvertisementNumber)?
    private var lastChange: Duration?
    /// When as many changes as ``burst`` are allowed again.
    private var budgetIsFull = Duration.zero
    /// The last slot under whose keys something was advertised.
    private var slot: UInt64?

    package init() {}

    /// Sets what should be advertised from now on; nil for nothing.
    package mutating func request(_ content: Content?) {
        requested = content
    }

    /// Advertises a withdrawal once if there is nothing to continue: others hear that this device is there again.
    package mutating func greet(at uptime: Duration) {
        isGreeting = true
        guard requested == nil, let onAir, onAir.content == .withdrawal else { return }
        // One that has just begun goes on: each new one takes a number. Any other may be for one member alone, or have been
        // heard by those who were there before.
        let isNew = !isGreetingMember && uptime - onAir.since < Self.refill
        guard isNew else { return self.onAir = nil }
        self.onAir?.since = uptime
        self.onAir?.isGreeting = true
    }

    /// Advertises no withdrawal that has not begun, because this device may not advertise.
    package mutating func cancelGreeting() { isGreeting = false }

    /// Whether a withdrawal for all is due, or is advertised and not over.
    package func isGreetingAll(at uptime: Duration) -> Bool {
        guard requested == nil else { return false }
        return onAir.map { $0.isGreeting && uptime < $0.since + Self.withdrawalDuration } ?? isGreeting
    }

    /// Records that the radio has just begun to advertise that content, which may be later than requested.
    ///
    /// Only the first time counts: the same content in a new slot or at another interval is not new.
    package mutating func began(_ content: Content, at uptime: Duration) {
        guard let current = onAir, current.content == content, !current.hasBegun else { return }
        onAir?.since = uptime
        onAir?.hasBegun = true
    }

    /// Returns what to advertise at `now`, and when to call again at the latest (as `uptime`; nil for not at all).
    ///
    /// - Parameters:
    ///   - now: the present.
    ///   - schedule: when the slots change.
    package mutating func advance(
        to now: Moment,
        by schedule: SlotSchedule = .atBorder
    ) -> (broadcast: Broadcast?, next: Duration?) {
        let slot = slot(at: now, by: schedule)
        let slotEnd = now.uptime + schedule.timeUntilNext(after: slot, at: now)
        enter(slot, at: now)
        let target = target(at: now.uptime)
        if target != onAir?.content || isOvertaken {
            let earliest = earliestChange(to: target)
            guard earliest <= now.uptime else {
                return (broadcast(at: now), min(earliest, nextDeadline(after: now, slotEnd) ?? earliest))
            }
            change(to: target, in: slot, at: now)
            guard onAir?.content == target else { return (broadcast(at: now), slotEnd) }
        }
        return (broadcast(at: now), nextDeadline(after: now, slotEnd))
    }

    /// Returns the activity for which a number stands; nil for one that this device has not used lately.
    func activity(of number: AdvertisementNumber) -> OfferedActivity? { numbers.activity(of: number) }

    /// Returns what is to be advertised now, with the number by which it can be requested, also while it has to wait for
    /// its turn; nil for none, and when too many numbers were taken lately.
    mutating func requestable(at now: Moment) -> (content: Content, number: AdvertisementNumber)? {
        guard let requested, let activity = requested.activity else { return nil }
        if let onAir, onAir.content.activity == activity { return (requested, onAir.number) }
        if let told, told.activity == activity { return (requested, told.number) }
        let limit = AdvertisementNumbers.maximumLead
        guard let number = numbers.next(for: activity, in: slot ?? now.slot, at: now, limit: limit) else { return nil }
        told = (activity, number)
        return (requested, number)
    }

    /// Returns the slot to advertise in.
    ///
    /// It does not go back to the slot before when the key changes, and with it the delay: other devices would take that
    /// for a replay.
    private mutating func slot(at now: Moment, by schedule: SlotSchedule) -> UInt64 {
        let slot = self.slot == now.slot ? now.slot : schedule.slot(at: now)
        self.slot = slot
        return slot
    }

    /// Returns what to advertise for the current request: a request for nothing is a withdrawal first, if anything was
    /// advertised before.
    private func target(at uptime: Duration) -> Content? {
        if let requested { return requested }
        if isCovering || isGreetingMember { return .withdrawal }
        guard let onAir else { return isGreeting ? .withdrawal : nil }
        if onAir.content != .withdrawal { return .withdrawal }
        return uptime - onAir.since < Self.withdrawalDuration ? .withdrawal : nil
    }

    private func earliestChange(to target: Content?) -> Duration {
        guard let lastChange, target != nil else { return .zero }
        let afterGap = lastChange + Self.shortestGap
        // A withdrawal waits for the gap only: the advertisement that it withdraws has been counted already.
        guard target != .withdrawal else { return afterGap }
        return max(afterGap, budgetIsFull - Self.refill * (Self.burst - 1))
    }

    /// Whether somebody was told a greater number for something else: then what is advertised needs a greater one yet.
    private var isOvertaken: Bool {
        guard let onAir, let told else { return false }
        return told.number > onAir.number && told.activity != requested?.activity
    }

    /// Gives what is advertised on a number of a slot, if the slot has just begun.
    private mutating func enter(_ slot: UInt64, at now: Moment) {
        guard let current = onAir, current.number.slot != slot else { return }
        // Who was told a greater number would take it for what was told.
        let isLast = told.map { $0.number < current.number } ?? true
        let isNext = slot == current.number.slot &+ 1 && isLast
        told = nil
        let number = numbers.next(for: current.content.activity, in: slot, at: now, isContinuing: isNext)
        onAir = number.map {
            OnAir(
                content: current.content,
                number: $0,
                since: current.since,
                hasBegun: current.hasBegun,
                isGreeting: current.isGreeting
            )
        }
    }

    /// Advertises something else from now on; nothing when the slot has no number left.
    private mutating func change(to target: Content?, in slot: UInt64, at now: Moment) {
        let isFirst = (isGreeting || isGreetingMember) && onAir == nil && target == .withdrawal
        defer { isGreeting = false }
        guard let target else { return onAir = nil }
        let number = number(for: target, in: slot, at: now)
        let greets = isGreeting && target == .withdrawal
        onAir = number.map { OnAir(content: target, number: $0, since: now.uptime, isGreeting: greets) }
        // What the person does next need not wait for a greeting.
        guard !isFirst else { return }
        lastChange = now.uptime
        budgetIsFull = max(budgetIsFull, now.uptime) + Self.refill
    }

    /// Returns the number of what is advertised from now on: the same for the same activity, whatever else changes.
    private mutating func number(for target: Content, in slot: UInt64, at now: Moment) -> AdvertisementNumber? {
        let activity = target.activity
        if let onAir, onAir.content.activity == activity, !isOvertaken { return onAir.number }
        defer { told = nil }
        if let told, told.activity == activity, told.number.slot == slot { return told.number }
        return numbers.next(for: activity, in: slot, at: now)
    }

    private func broadcast(at now: Moment) -> Broadcast? {
        onAir.map {
            Broadcast(content: $0.content, number: $0.number, isFresh: now.uptime - $0.since < Self.freshness)
        }
    }

    private func nextDeadline(after now: Moment, _ slotEnd: Duration) -> Duration? {
        guard let onAir else { return nil }
        if onAir.content == .withdrawal, requested == nil {
            let end = onAir.since + Self.withdrawalDuration
            if !isCovering, !isGreetingMember { return end }
            // From then on, members are greeted alone.
            if onAir.isGreeting, now.uptime < end { return min(end, slotEnd) }
        }
        let freshEnd = onAir.since + Self.freshness
        return freshEnd > now.uptime ? min(slotEnd, freshEnd) : slotEnd
    }
}
