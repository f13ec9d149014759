/// Seals what this device advertises during one slot of 15 minutes.
package struct AdvertisementSealer: Sendable {
    /// The length of a slot in seconds: the lifetime of a resolvable private address in Linux
    /// (`HCI_DEFAULT_RPA_TIMEOUT`, `hci_core.h`).
    package static let slotSeconds: Int64 = 15 * 60

    /// The number of plaintext bytes in an advertisement.
    package static let plaintextBytes = SlotKeys.plaintextBytes

    /// The number of bytes in a sealed advertisement: a tag of 4 bytes and the ciphertext.
    package static let sealedBytes = SlotKeys.sealedBytes

    private let keys: SlotKeys

    /// Returns the slot of a time: the number of whole 900 s periods since 1970; 0 before that.
    package static func slot(unixSeconds: Int64) -> UInt64 {
        UInt64(clamping: unixSeconds / slotSeconds)
    }

    /// Derives the keys of one slot; nil when a daily key does not reach it, because it is of a later day or more than
    /// ten years old.
    package init?(key: SealingKey, slot: UInt64) {
        guard let keys = key.slotKeys(for: slot) else { return nil }
        self.keys = keys
    }

    /// Derives the keys of one slot from a key that is the same on all days.
    package init(key: AdvertisingKey, slot: UInt64) {
        keys = key.slotKeys(for: slot)
    }

    /// Returns the ten bytes that only holders of the key can read; equal plaintexts in one slot give equal bytes.
    ///
    /// - Precondition: `plaintext` has ``plaintextBytes`` bytes.
    package func seal(_ plaintext: [UInt8]) -> [UInt8] {
        precondition(plaintext.count == Self.plaintextBytes, "an advertisement has 6 bytes of plaintext")
        let word = UInt64(littleEndianBytes: plaintext)
        let tag = keys.tag(of: word)
        return tag.littleEndianBytes(SlotKeys.tagBytes)
            + (word ^ keys.pad(for: tag)).littleEndianBytes(SlotKeys.plaintextBytes)
    }
}
