package import HandoffCrypto

/// When a device changes from the keys of one slot to those of the next.
///
/// Were it at the border of the slots, an observer would see the error of the device's clock, which is the same at every
/// border. It is later by a time that is drawn for each slot from the device's key. Receivers accept the slot before.
package struct SlotSchedule: Sendable {
    /// The delays are below this.
    package static let maximumDelay = Duration.seconds(60)

    /// Changes at the border itself.
    package static let atBorder = SlotSchedule(key: nil)

    private let key: SealingKey?

    /// Creates the schedule of the device that advertises to its circle under that key.
    package init(key: SealingKey) {
        self.init(key: Optional(key))
    }

    private init(key: SealingKey?) {
        self.key = key
    }

    /// Returns the slot under whose keys to advertise at `now`: that of the instant, or the one before.
    package func slot(at now: Moment) -> UInt64 {
        timeUntilNext(after: now.slot &- 1, at: now) <= .zero ? now.slot : now.slot &- 1
    }

    /// Returns the time until the device changes to the slot after `slot`; negative when it should have done so.
    ///
    /// - Parameter slot: the slot of `now`, or the one before.
    func timeUntilNext(after slot: UInt64, at now: Moment) -> Duration {
        let next = slot &+ 1
        let timeUntilBorder = now.timeToNextSlot - (next == now.slot ? Moment.slotDuration : .zero)
        return timeUntilBorder + delay(of: next)
    }

    /// Returns how long after its border the slot begins; zero for slot 0, which has no slot before it.
    func delay(of slot: UInt64) -> Duration {
        guard slot > 0, let key, var random = SlotRandomness(key: key, slot: slot, purpose: .slotChange) else {
            return .zero
        }
        return .milliseconds(Int64(random.next() % UInt64(Self.maximumDelay / .milliseconds(1))))
    }
}
