/// Seals what this device advertises during one slot of 15 minutes.
package struct AdvertisementSealer: Sendable {
    /// How long a slot is, in seconds.
    package static let slotSeconds: Int64 = 900

    /// How many bytes an advertisement has before sealing.
    package static let plaintextBytes = SlotKeys.plaintextBytes

    /// How many bytes a sealed advertisement has: a tag of 4 and the ciphertext.
    package static let sealedBytes = SlotKeys.sealedBytes

    private let keys: SlotKeys

    /// The slot of a moment: how many times 900 seconds have passed since 1970; 0 before that.
    package static func slot(unixSeconds: Int64) -> UInt64 {
        UInt64(clamping: unixSeconds / slotSeconds)
    }

    /// Prepares the keys of one slot.
    package init(key: AdvertisingKey, slot: UInt64) {
        keys = key.slotKeys(for: slot)
    }

    /// The ten bytes that only holders of the key can read; equal plaintexts of one slot look equal.
    ///
    /// - Precondition: `plaintext` has ``plaintextBytes`` bytes.
    package func seal(_ plaintext: [UInt8]) -> [UInt8] {
        precondition(plaintext.count == Self.plaintextBytes, "an advertisement has 6 bytes inside")
        let word = UInt64(littleEndianBytes: plaintext)
        let tag = keys.tag(of: word)
        return tag.littleEndianBytes(SlotKeys.tagBytes)
            + (word ^ keys.pad(for: tag)).littleEndianBytes(SlotKeys.plaintextBytes)
    }
}
