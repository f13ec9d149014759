/// The slot keys of two devices, with which an advertisement is tried at once.
struct SlotKeysPair: Sendable {
    private typealias Words = SipHashPair.Words

    private let authentication: SipHashPair
    private let encryption: SipHashPair

    /// Combines the keys of two devices, which may be the same device.
    init(_ one: SlotKeys, _ other: SlotKeys) {
        authentication = SipHashPair(one.authentication, other.authentication)
        encryption = SipHashPair(one.encryption, other.encryption)
    }

    /// Returns which of the two keys opens a 48-bit ciphertext, 0 or 1, and the plaintext; nil when none does.
    ///
    /// The first key counts when both do.
    @inline(__always)
    func open(tag: UInt64, ciphertext: UInt64) -> (index: Int, plaintext: UInt64)? {
        let pads = encryption(Words(repeating: SlotKeys.encryptionInput(of: tag)), count: SlotKeys.encryptionBytes)
        let plaintexts = Words(repeating: ciphertext) ^ pads & Words(repeating: SlotKeys.plaintextMask)
        let inputs = plaintexts &<< Words(repeating: 8) | Words(repeating: SlotKeys.authenticationDomain)
        let tags = authentication(inputs, count: SlotKeys.authenticationBytes) & Words(repeating: SlotKeys.tagMask)
        if tags[0] == tag { return (0, plaintexts[0]) }
        if tags[1] == tag { return (1, plaintexts[1]) }
        return nil
    }
}
