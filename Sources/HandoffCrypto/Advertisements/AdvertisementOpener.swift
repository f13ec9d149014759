/// Finds out which of many devices sealed an advertisement, and decrypts it.
///
/// The keys of the previous, the current and the next slot are cached for every device and replaced as the slot
/// advances. A daily key opens no slot of a day before its own, so the previous slot of the first slot of its day is
/// closed to it; whoever keeps daily keys by `DailyKey.kept(at:)` does not notice.
package struct AdvertisementOpener<ID: Hashable & Sendable>: Sendable {
    /// An opened advertisement: its sender, the slot offset under which it was sealed, and its plaintext.
    package typealias Opened = (id: ID, slotOffset: Int, plaintext: [UInt8])

    /// The keys of all devices for one slot; devices whose key does not reach the slot are left out.
    private struct Slot: Sendable {
        var keys: [SlotKeys] = []
        /// For each of `keys`, the index of its device.
        var devices: [Int] = []
    }

    /// The slot offsets that are tried, nearest first: most advertisements use the current slot.
    private static var offsets: [Int] { [0, -1, 1] }

    /// The devices and their keys.
    let devices: [(id: ID, key: SealingKey)]
    /// The keys moved forward to the last slot, so that a key that is days old is moved once and not in each slot.
    private var advanced: [SealingKey]
    private var slot: UInt64?
    /// The keys for each offset.
    private var slots: [Slot] = []

    /// Creates an opener for these devices; of two devices with the same advertising key, the first is reported.
    package init(keys: [(ID, SealingKey)]) {
        devices = keys.map { (id: $0.0, key: $0.1) }
        advanced = keys.map(\.1)
    }

    /// Creates an opener for devices whose keys are the same on all days.
    package init(keys: [(ID, AdvertisingKey)]) {
        self.init(keys: keys.map { ($0.0, .constant($0.1)) })
    }

    /// Derives the keys for a slot in advance, so that the first ``open(_:slot:)`` in it costs nothing extra.
    package mutating func advance(to slot: UInt64) {
        guard self.slot != slot else { return }
        let previous = self.slot
        let kept = slots
        slots = Self.offsets.map { offset in
            let wanted = Self.moved(slot, by: offset)
            for (index, oldOffset) in Self.offsets.enumerated() {
                if let previous, Self.moved(previous, by: oldOffset) == wanted { return kept[index] }
            }
            return derive(wanted)
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
        for (number, slot) in slots.enumerated() {
            for index in slot.keys.indices {
                guard let plaintext = slot.keys[index].open(tag: tag, ciphertext: ciphertext) else { continue }
                let id = devices[slot.devices[index]].id
                return (id, Self.offsets[number], plaintext.littleEndianBytes(SlotKeys.plaintextBytes))
            }
        }
        return nil
    }

    private mutating func derive(_ slot: UInt64) -> Slot {
        var result = Slot()
        for index in devices.indices {
            guard let keys = slotKeys(ofDeviceAt: index, for: slot) else { continue }
            result.keys.append(keys)
            result.devices.append(index)
        }
        return result
    }

    /// Derives from the key that was moved forward where that one reaches the slot, and else from the original.
    private mutating func slotKeys(ofDeviceAt index: Int, for slot: UInt64) -> SlotKeys? {
        if let keys = advanced[index].slotKeys(for: slot) {
            advanced[index] = advanced[index].advanced(toDayOf: slot)
            return keys
        }
        return devices[index].key.slotKeys(for: slot)
    }

    /// Wraps around at both ends: slots there are never used, but must not trap.
    private static func moved(_ slot: UInt64, by offset: Int) -> UInt64 {
        slot &+ UInt64(bitPattern: Int64(offset))
    }
}
