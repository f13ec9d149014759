/// The two keys that seal one device's advertisements during one slot.
///
/// The construction is a synthetic IV, as in RFC 5297, with parts small enough for an advertisement: the first 4 bytes of
/// PRF(authentication key, 2 ‖ plaintext) are both the tag and the IV, and the 6 bytes of plaintext are added to the first
/// 6 of PRF(encryption key, 1 ‖ tag). The PRF is SipHash-2-4; the byte before its input keeps the two uses apart.
///
/// Within this type bytes are packed into numbers, the first byte lowest.
struct SlotKeys: Sendable {
    /// How many bytes are sealed.
    static let plaintextBytes = 6
    /// How many bytes authenticate them.
    static let tagBytes = 4
    /// How many bytes a sealed advertisement has.
    static let sealedBytes = tagBytes + plaintextBytes

    private static let encryptionDomain: UInt64 = 1
    private static let authenticationDomain: UInt64 = 2

    private let authentication: SipHash
    private let encryption: SipHash

    /// Takes two keys of 16 bytes each.
    init(authentication: some Collection<UInt8>, encryption: some Collection<UInt8>) {
        self.authentication = SipHash(key: authentication)
        self.encryption = SipHash(key: encryption)
    }

    /// The tag of a plaintext: 32 bits.
    @inline(__always)
    func tag(of plaintext: UInt64) -> UInt64 {
        authentication(plaintext << 8 | Self.authenticationDomain, count: 7) & 0xFFFF_FFFF
    }

    /// The 48 bits that are added to the plaintext under this tag.
    @inline(__always)
    func pad(for tag: UInt64) -> UInt64 {
        encryption(tag << 8 | Self.encryptionDomain, count: 5) & 0xFFFF_FFFF_FFFF
    }

    /// The plaintext of a tag and a ciphertext of 48 bits, when the tag is right; `nil` otherwise.
    ///
    /// How long it takes tells a listener nothing: no answer comes to an advertisement.
    @inline(__always)
    func open(tag: UInt64, ciphertext: UInt64) -> UInt64? {
        let plaintext = ciphertext ^ pad(for: tag)
        return self.tag(of: plaintext) == tag ? plaintext : nil
    }
}
