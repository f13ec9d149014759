import HandoffModel

/// Gives each thing that a device shows the next number, and remembers which activity each number stands for.
///
/// The number within a slot is at least the time since the border of the slot in steps of ``step``, so that a daemon
/// that starts in the middle of a slot goes on above what the one before has used, without keeping anything.
struct AdvertisementNumbers: Hashable, Sendable {
    /// The time in which the clock moves the number forward by one: as long as the pacer needs for each change when there
    /// are many, so that counting is never far ahead of the clock.
    static let step = AdvertisementPacer.refill
    /// How far ahead of the clock, or of the first number of the run, a number may be that is told in a refusal only: no
    /// caller can use up the slot.
    static let maximumLead: Int64 = 16
    /// How far ahead of the clock the first number of a run is: further than the run before can have been, which is that
    /// much, the changes in a row, and a withdrawal.
    static let firstLead = maximumLead + Int64(AdvertisementPacer.burst) + 2
    /// The most numbers that are remembered, after which the oldest is forgotten.
    ///
    /// A slot has at most as many.
    static let maximumCount = Int(AdvertisementNumber.maximumIndex) + 1

    private struct Use: Hashable {
        let number: AdvertisementNumber
        /// Nil for a withdrawal.
        let activity: OfferedActivity?
    }

    /// What was shown, or told, the newest last.
    private var uses: [Use] = []
    /// The first number of the run.
    private var first: AdvertisementNumber?

    /// Returns the activity for which a number stands; nil for an unknown number and a withdrawal.
    func activity(of number: AdvertisementNumber) -> OfferedActivity? {
        uses.last { $0.number == number }?.activity
    }

    /// Takes the next number for something that is shown from now on, nil for a withdrawal.
    ///
    /// Returns nil when the slot has no number left, as after its clock was set back by minutes.
    ///
    /// - Parameters:
    ///   - activity: what is shown.
    ///   - slot: the slot under whose keys it is shown.
    ///   - now: the present.
    ///   - isContinuing: whether it was shown at the end of the slot before too.
    ///   - limit: how far ahead of the clock the number may be.
    mutating func next(
        for activity: OfferedActivity?,
        in slot: UInt64,
        at now: Moment,
        isContinuing: Bool = false,
        limit: Int64 = .max
    ) -> AdvertisementNumber? {
        let clock = Int64(now.time(since: slot) / Self.step)
        let index: Int64
        if let last = lastIndex(in: slot) {
            index = max(Int64(last) + 1, clock)
        } else if isContinuing {
            index = Int64(AdvertisementNumber.continuing)
        } else {
            index = max(1, clock + (uses.isEmpty ? Self.firstLead : 0))
        }
        let least = first.map { $0.slot == slot ? Int64($0.index) : 0 } ?? index
        guard index - max(clock, least) <= limit, let number = AdvertisementNumber(slot: slot, index: index) else {
            return nil
        }
        first = first ?? number
        uses.append(Use(number: number, activity: activity))
        if uses.count > Self.maximumCount { uses.removeFirst() }
        return number
    }

    /// The greatest number that was taken in a slot.
    private func lastIndex(in slot: UInt64) -> UInt16? {
        uses.lazy.filter { $0.number.slot == slot }.map(\.number.index).max()
    }
}
