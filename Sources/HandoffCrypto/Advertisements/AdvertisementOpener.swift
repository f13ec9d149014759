/// Finds out which of many devices sealed an advertisement, and what it says.
///
/// The keys of the previous, the current and the next slot are kept for every device and renewed as the slot moves.
package struct AdvertisementOpener<ID: Hashable & Sendable>: Sendable {
    /// One device's advertisement, opened.
    package typealias Opened = (id: ID, slotOffset: Int, plaintext: [UInt8])

    private struct Device: Sendable {
        let id: ID
        let key: AdvertisingKey
    }

    /// The slots that are tried, nearest first: most advertisements are of the current one.
    private static var offsets: [Int] { [0, -1, 1] }

    private let devices: [Device]
    private var slot: UInt64?
    /// For each offset, the keys of each device in the order of `devices`.
    private var keys: [[SlotKeys]] = []

    /// Opens what these devices seal; where two share an advertising key, the first is named.
    package init(keys: [(ID, AdvertisingKey)]) {
        devices = keys.map { Device(id: $0.0, key: $0.1) }
    }

    /// The devices and their keys.
    var candidates: [(ID, AdvertisingKey)] { devices.map { ($0.id, $0.key) } }

    /// Makes ready for a slot, so that the first ``open(_:slot:)`` in it costs nothing extra.
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

    /// The sender and content of a sealed advertisement; `nil` when no device's key opens it.
    ///
    /// - Parameters:
    ///   - sealed: what stood in the service data; anything but ten bytes opens for nobody.
    ///   - slot: the slot of now.
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

    /// Wraps around at both ends: such slots are never used, and must not trap.
    private static func moved(_ slot: UInt64, by offset: Int) -> UInt64 {
        slot &+ UInt64(bitPattern: Int64(offset))
    }
}
