extension AdvertisementOpener {
    /// The largest slot offset that is tried: a day, which covers every clock that was set to another time zone.
    package static var maximumSlotOffset: Int { 96 }

    /// How many keys a call of ``findWithClockSkew(_:slot:turn:)`` tries.
    ///
    /// Each takes at most 380 derivations of some microseconds, so that a call takes less than 20 ms however many
    /// devices are trusted.
    package static var keysPerTurn: Int { 10 }

    /// Finds the sender of an advertisement sealed under a slot that ``open(_:slot:)`` does not try.
    ///
    /// A daily key reaches no slot of a day before its own: a device whose clock is behind is found only as far as its
    /// slot is on the day of the kept key or later.
    ///
    /// Returns the sender and how many slots the sender is ahead of `slot`; nil when none of the keys of this turn
    /// opens it.
    ///
    /// - Parameters:
    ///   - sealed: the service data; the result is `nil` unless it has ten bytes.
    ///   - slot: the current slot.
    ///   - turn: the number of the call: each tries the next ``keysPerTurn`` keys, after the last one the first again.
    package func findWithClockSkew(_ sealed: [UInt8], slot: UInt64, turn: Int = 0) -> (id: ID, slotOffset: Int)? {
        guard sealed.count == AdvertisementSealer.sealedBytes else { return nil }
        let tag = UInt64(littleEndianBytes: sealed[..<SlotKeys.tagBytes])
        let ciphertext = UInt64(littleEndianBytes: sealed[SlotKeys.tagBytes...])
        for (id, key) in devices(of: turn) {
            // Moved forward once, so that each slot costs one more step at most.
            let (past, future) = (key.advanced(toDayOf: slot &- DailyKey.slotsPerDay), key.advanced(toDayOf: slot))
            for distance in 2...Self.maximumSlotOffset {
                for (offset, key) in [(-distance, past), (distance, future)] {
                    let keys = key.slotKeys(for: slot &+ UInt64(bitPattern: Int64(offset)))
                    if keys?.open(tag: tag, ciphertext: ciphertext) != nil { return (id, offset) }
                }
            }
        }
        return nil
    }

    private func devices(of turn: Int) -> ArraySlice<(id: ID, key: SealingKey)> {
        let turns = (devices.count + Self.keysPerTurn - 1) / Self.keysPerTurn
        guard turns > 0 else { return [] }
        return devices.dropFirst(turn % turns * Self.keysPerTurn).prefix(Self.keysPerTurn)
    }
}
