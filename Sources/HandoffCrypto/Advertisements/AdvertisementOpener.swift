/// Finds out which of many devices sealed an advertisement, and decrypts it.
///
/// The keys of the previous, the current and the next slot are cached for every device and replaced as the slot
/// advances.
package struct AdvertisementOpener<ID: Hashable & Sendable>: Sendable {
    /// An opened advertisement: its sender, the slot offset under which it was sealed, and its plaintext.
    package typealias Opened = (id: ID, slotOffset: Int, plaintext: [UInt8])

    private struct Device: Sendable {
        let id: ID
        let key: AdvertisingKey
    }

    /// The slot offsets that are tried, nearest first: most advertisements use the current slot.
    private static var offsets: [Int] { [0, -1, 1] }

    private let devices: [Device]
    private var slot: UInt64?
    /// For each offset, the keys of each device in the order of `devices`.
    private var keys: [[SlotKeys]] = []

    /// Creates an opener for these devices; of two devices with the same advertising key, the first is reported.
    package init(keys: [(ID, AdvertisingKey)]) {
        devices = keys.map { Device(id: $0.0, key: $0.1) }
    }

    /// The devices and their keys.
    var candidates: [(ID, AdvertisingKey)] { devices.map { ($0.id, $0.key) } }

    /// Derives the keys for a slot in advance, so that the first ``open(_:slot:)`` in it costs nothing extra.
    package mutating func advance(to slot: UInt64) {
        guard self.slot != slot else { return }
        let previous = self.slot
        let kept = keys
        keys = Self.offsets.map { offset in
            let wanted = Self.moved(slot, by: offset)
            for (index, oldOffset) in Self.offsets.enumerated() {
                if let previous, Self.moved(previous, by: oldOffset) == wanted { return kept[index] }
            }
            return devices.map { $0.key.slotKeys(for: wanted) }
        }
        self.slot = slot
    }

    /// Returns the sender and the plaintext of a sealed advertisement; `nil` when no device's key opens it.
    ///
    /// - Parameters:
    ///   - sealed: the service data; the result is `nil` unless it has ten bytes.
    ///   - slot: the current slot.
    package mutating func open(_ sealed: [UInt8], slot: UInt64) -> Opened? {
        guard sealed.count == AdvertisementSealer.sealedBytes else { return nil }
        advance(to: slot)
        let tag = UInt64(littleEndianBytes: sealed[..<SlotKeys.tagBytes])
        let ciphertext = UInt64(littleEndianBytes: sealed[SlotKeys.tagBytes...])
        for (offset, slotKeys) in zip(Self.offsets, keys) {
            for index in slotKeys.indices {
                guard let plaintext = slotKeys[index].open(tag: tag, ciphertext: ciphertext) else { continue }
                return (devices[index].id, offset, plaintext.littleEndianBytes(SlotKeys.plaintextBytes))
            }
        }
        return nil
    }

    /// Wraps around at both ends: slots there are never used, but must not trap.
    private static func moved(_ slot: UInt64, by offset: Int) -> UInt64 {
        slot &+ UInt64(bitPattern: Int64(offset))
    }
}
