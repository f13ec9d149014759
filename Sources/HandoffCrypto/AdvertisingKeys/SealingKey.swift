/// A key under which advertisements are sealed, by how it changes from day to day.
package enum SealingKey: Hashable, Sendable {
    /// The key moves forward each day and opens nothing of earlier days.
    case daily(DailyKey)
    /// Each day has a key of its own, which follows from the two devices' key pairs: for devices that share no secret
    /// yet.
    case paired(PairedKey)
    /// The key is the same on all days: for a pairing that is to be reconciled within days.
    case constant(AdvertisingKey)

    /// Returns the two keys of one slot; nil when a daily key does not reach it (``DailyKey/advanced(to:)``).
    func slotKeys(for slot: UInt64) -> SlotKeys? {
        switch self {
        case .daily(let key): key.slotKeys(for: slot)
        case .paired(let key): DailyKey.day(of: slot).map { key.key(of: $0).slotKeys(for: slot) }
        case .constant(let key): key.slotKeys(for: slot)
        }
    }

    /// Returns the key moved forward to the day of `slot`, so that further slots of that day cost one derivation each;
    /// the key itself when it does not move or does not reach the slot.
    func advanced(toDayOf slot: UInt64) -> SealingKey {
        guard case .daily(let key) = self, let later = DailyKey.day(of: slot).flatMap(key.advanced) else { return self }
        return .daily(later)
    }
}
