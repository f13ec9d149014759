import Crypto
import CryptoExtras

/// The two AES-128 keys that seal one device's advertisements during one slot.
///
/// The construction is a synthetic IV, as in RFC 5297, with parts small enough for an advertisement: the first 4 bytes of
/// PRF(authentication key, plaintext) are both the tag and the IV, and the 6 bytes of plaintext are added to the
/// first 6 of PRF(encryption key, tag). The PRF is one AES-128 block over a domain byte, the input, and zeros up to 16
/// bytes; inputs of one domain always have the same length, so that no two of them make the same block.
struct SlotKeys: Sendable {
    /// How many bytes are sealed.
    static let plaintextBytes = 6
    /// How many bytes authenticate them.
    static let tagBytes = 4
    /// How many bytes a sealed advertisement has.
    static let sealedBytes = tagBytes + plaintextBytes

    private static let encryptionDomain: UInt64 = 1
    private static let authenticationDomain: UInt64 = 2

    private let authentication: SymmetricKey
    private let encryption: SymmetricKey

    /// Takes two keys of 16 bytes each.
    init(authentication: SymmetricKey, encryption: SymmetricKey) {
        self.authentication = authentication
        self.encryption = encryption
    }

    /// The tag of a plaintext: 32 bits.
    func tag(of plaintext: UInt64) -> UInt64 {
        Self.block(Self.authenticationDomain << 56 | plaintext << 8, key: authentication) >> 32
    }

    /// The 48 bits that are added to the plaintext under this tag.
    func pad(for tag: UInt64) -> UInt64 {
        Self.block(Self.encryptionDomain << 56 | tag << 24, key: encryption) >> 16
    }

    /// The plaintext of a tag and a ciphertext of 48 bits, when the tag is right; `nil` otherwise.
    func open(tag: UInt64, ciphertext: UInt64) -> UInt64? {
        let plaintext = ciphertext ^ pad(for: tag)
        // Timing tells a listener nothing: nothing is sent because of an advertisement.
        return self.tag(of: plaintext) == tag ? plaintext : nil
    }

    /// The first 8 bytes of the AES block over `input` and eight zeros, both highest byte first.
    private static func block(_ input: UInt64, key: SymmetricKey) -> UInt64 {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16) { bytes in
            let words = UnsafeMutableRawBufferPointer(bytes)
            words.storeBytes(of: input.bigEndian, as: UInt64.self)
            words.storeBytes(of: 0, toByteOffset: 8, as: UInt64.self)
            var block = bytes
            guard (try? AES.permute(&block, key: key)) != nil else {
                preconditionFailure("a slot key and a block have 16 bytes")
            }
            return UInt64(bigEndian: words.loadUnaligned(as: UInt64.self))
        }
    }
}
