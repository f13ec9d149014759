import Crypto

/// An advertising key with the day for which it is: the key of each later day follows from it, that of an earlier day
/// does not.
///
/// A device keeps the key of one day and overwrites it when the day is over (``kept(at:)``). A stolen state, and a
/// device that joins, therefore open nothing that was recorded on an earlier day.
package struct DailyKey: Hashable, Sendable {
    /// The number of slots in a day of Unix time: 86 400 s of 900 s each.
    package static let slotsPerDay: UInt64 = 96
    /// How many days a key is moved forward at most: ten years, so that the work is bounded whatever the clock says.
    package static let maximumAdvance: UInt32 = 3650
    /// The number of bytes in ``rawRepresentation``.
    package static let byteCount = AdvertisingKey.byteCount + 4

    /// The key of ``day``.
    package let key: AdvertisingKey
    /// The number of whole days from 1970 to the day of the key, in UTC.
    package let day: UInt32

    /// Makes the key of a day.
    package init(key: AdvertisingKey, day: UInt32) {
        self.key = key
        self.day = day
    }

    /// Returns a new key for a day, from the system's random number generator.
    package static func generate(day: UInt32) -> DailyKey {
        DailyKey(key: .generate(), day: day)
    }

    /// Makes a key of exactly 36 bytes: the key, then the day as a big-endian number.
    ///
    /// - Throws: ``CryptoError/Code/invalidKey`` for any other count.
    package init(rawRepresentation: some Collection<UInt8>) throws(CryptoError) {
        guard rawRepresentation.count == Self.byteCount else {
            throw CryptoError(
                .invalidKey,
                "A daily advertising key has \(Self.byteCount) bytes, got \(rawRepresentation.count)."
            )
        }
        key = try AdvertisingKey(rawRepresentation: rawRepresentation.prefix(AdvertisingKey.byteCount))
        day = UInt32(UInt64(bigEndianBytes: rawRepresentation.dropFirst(AdvertisingKey.byteCount)))
    }

    /// The key and its day in 36 bytes, which only the circle may know.
    package var rawRepresentation: [UInt8] { key.rawRepresentation + UInt64(day).bigEndianBytes(4) }

    /// Returns the day of a slot; nil beyond the last day that has a number, eleven million years from now.
    package static func day(of slot: UInt64) -> UInt32? { UInt32(exactly: slot / slotsPerDay) }

    /// Returns the day whose key is kept during `slot`: the day of the slot before, whose advertisements are still
    /// opened.
    package static func keptDay(at slot: UInt64) -> UInt32 {
        UInt32(clamping: (slot == 0 ? 0 : slot - 1) / slotsPerDay)
    }

    /// Returns the key of `day`; nil for an earlier day than the key's, and for one more than ``maximumAdvance`` later.
    package func advanced(to day: UInt32) -> DailyKey? {
        guard day >= self.day, day - self.day <= Self.maximumAdvance else { return nil }
        return DailyKey(key: (self.day..<day).reduce(key) { key, _ in key.next }, day: day)
    }

    /// Whether another key is this one, or follows from it.
    package func leads(to other: DailyKey) -> Bool { advanced(to: other.day) == other }

    /// Returns the key to keep during `slot`, in place of this one: moved forward to ``keptDay(at:)``.
    ///
    /// Returns the key itself when it is of a later day, because the clock was set back or runs late, and when it is
    /// more than ``maximumAdvance`` days old.
    package func kept(at slot: UInt64) -> DailyKey { advanced(to: Self.keptDay(at: slot)) ?? self }

    /// Whether advertisements of `slot` can be sealed and opened with this key or one that follows from it.
    package func reaches(_ slot: UInt64) -> Bool {
        guard let day = Self.day(of: slot), day >= self.day else { return false }
        return day - self.day <= Self.maximumAdvance
    }

    /// Returns the two keys of one slot; nil when the slot is of an earlier day than the key's, or of a day more than
    /// ``maximumAdvance`` later.
    func slotKeys(for slot: UInt64) -> SlotKeys? {
        Self.day(of: slot).flatMap(advanced)?.key.slotKeys(for: slot)
    }
}

extension AdvertisingKey {
    /// The key of the next day, by a step that cannot be undone: HKDF-SHA-256 (RFC 5869) without salt.
    fileprivate var next: AdvertisingKey {
        derived(info: Array("handoffd v2 next day".utf8))
    }
}
