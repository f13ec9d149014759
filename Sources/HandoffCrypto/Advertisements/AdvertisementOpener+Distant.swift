extension AdvertisementOpener {
    /// The largest slot offset that is tried: a day, which covers every clock that was set to another time zone.
    package static var maximumSlotOffset: Int { 96 }

    /// Finds the sender of an advertisement sealed under a slot that ``open(_:slot:)`` does not try.
    ///
    /// Returns the sender and how many slots the sender is ahead of `slot`; nil when no device's key opens it.
    ///
    ///
    /// A call costs up to 190 key derivations for each device: do it now and then, not for every advertisement.
    package func findWithClockSkew(_ sealed: [UInt8], slot: UInt64) -> (id: ID, slotOffset: Int)? {
        guard sealed.count == AdvertisementSealer.sealedBytes else { return nil }
        let tag = UInt64(littleEndianBytes: sealed[..<SlotKeys.tagBytes])
        let ciphertext = UInt64(littleEndianBytes: sealed[SlotKeys.tagBytes...])
        for distance in 2...Self.maximumSlotOffset {
            for offset in [-distance, distance] {
                let wanted = slot &+ UInt64(bitPattern: Int64(offset))
                for (id, key) in candidates
                where key.slotKeys(for: wanted).open(tag: tag, ciphertext: ciphertext) != nil {
                    return (id, offset)
                }
            }
        }
        return nil
    }
}
