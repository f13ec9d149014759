extension AdvertisementOpener {
    /// How far from now a slot is looked for, in slots: a day, which covers every clock that was set to another zone's time.
    package static var maximumSlotOffset: Int { 96 }

    /// Who sealed an advertisement under a slot that ``open(_:slot:)`` does not try, and how many slots that is after now.
    ///
    /// It costs some hundred key derivations for each device: worth it now and then, not for every advertisement.
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
