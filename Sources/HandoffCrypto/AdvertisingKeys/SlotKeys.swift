/// The two keys that seal one device's advertisements during one slot.
///
/// The construction is a synthetic IV, as in RFC 5297, with parts small enough for an advertisement: the first 4 bytes
/// of PRF(authentication key, 2 ‖ plaintext) are both the tag and the IV, and the 6 bytes of plaintext are XORed with
/// the first 6 bytes of PRF(encryption key, 1 ‖ tag). The PRF is SipHash-2-4; the byte before its input separates these
/// uses and those of ``SlotRandomness``.
///
/// Within this type, bytes are packed into integers, little-endian.
struct SlotKeys: Sendable {
    /// The number of plaintext bytes.
    static let plaintextBytes = 6
    /// The number of tag bytes.
    static let tagBytes = 4
    /// The number of bytes in a sealed advertisement.
    static let sealedBytes = tagBytes + plaintextBytes

    private static let encryptionDomain: UInt64 = 1
    private static let authenticationDomain: UInt64 = 2

    private let authentication: SipHash
    private let encryption: SipHash

    /// Creates the pair from two keys of 16 bytes each.
    init(authentication: some Collection<UInt8>, encryption: some Collection<UInt8>) {
        self.authentication = SipHash(key: authentication)
        self.encryption = SipHash(key: encryption)
    }

    /// Returns the tag of a plaintext: 32 bits.
    @inline(__always)
    func tag(of plaintext: UInt64) -> UInt64 {
        authentication(plaintext << 8 | Self.authenticationDomain, count: 7) & 0xFFFF_FFFF
    }

    /// Returns a number that does not depend on anything that is advertised.
    func number(_ index: UInt64, for purpose: SlotRandomness.Purpose) -> UInt64 {
        authentication(index << 8 | purpose.rawValue, count: 7)
    }

    /// Returns the 48 bits with which the plaintext is XORed under this tag.
    @inline(__always)
    func pad(for tag: UInt64) -> UInt64 {
        encryption(tag << 8 | Self.encryptionDomain, count: 5) & 0xFFFF_FFFF_FFFF
    }

    /// Returns the plaintext of a 48-bit ciphertext if the tag is correct; `nil` otherwise.
    ///
    /// It need not run in constant time: an advertisement is not answered, so its sender cannot measure it.
    @inline(__always)
    func open(tag: UInt64, ciphertext: UInt64) -> UInt64? {
        let plaintext = ciphertext ^ pad(for: tag)
        return self.tag(of: plaintext) == tag ? plaintext : nil
    }
}
