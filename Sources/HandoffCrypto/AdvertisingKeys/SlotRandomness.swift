/// Numbers that follow from the key of a slot: unpredictable without the key, and the same after a restart.
///
/// What an observer can see of the timing of advertisements is drawn from them, so that nothing in it is the same in two
/// slots.
package struct SlotRandomness: RandomNumberGenerator, Sendable {
    /// What the numbers are for; each purpose has numbers of its own.
    package enum Purpose: UInt64, Sendable {
        /// The moment at which the device changes to the slot's keys.
        case slotChange = 3
        /// The beginnings and lengths of turns.
        case turns = 4
    }

    private let keys: SlotKeys
    private let purpose: Purpose
    private var count: UInt64 = 0

    /// Prepares the numbers of one slot; nil when a daily key does not reach it.
    package init?(key: SealingKey, slot: UInt64, purpose: Purpose) {
        guard let keys = key.slotKeys(for: slot) else { return nil }
        self.keys = keys
        self.purpose = purpose
    }

    /// Returns the next number: PRF(authentication key, purpose ‖ index), with the index in 6 bytes, lowest first.
    package mutating func next() -> UInt64 {
        defer { count += 1 }
        return keys.number(count, for: purpose)
    }
}
