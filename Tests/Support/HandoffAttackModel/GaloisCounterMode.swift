import Crypto
import CryptoExtras

/// AES in Galois/Counter Mode (NIST SP 800-38D) with nonces of any length, which crypto libraries do not offer.
///
/// It is used only to build the model that is attacked, and is neither fast nor constant-time.
struct GaloisCounterMode: Sendable {
    private let key: SymmetricKey
    /// The encrypted block of zeros.
    private let subkey: UInt128

    /// Creates the mode with an AES key of 16, 24 or 32 bytes.
    init(key: [UInt8]) throws {
        self.key = SymmetricKey(data: key)
        subkey = try Self.encrypt(0, under: self.key)
    }

    /// The plaintext XOR the key stream of a nonce, which encrypts and decrypts.
    func apply(_ text: [UInt8], nonce: [UInt8]) throws -> [UInt8] {
        var counter = initialCounter(nonce)
        var result: [UInt8] = []
        for start in stride(from: 0, to: text.count, by: 16) {
            counter = counter & ~0xFFFF_FFFF | UInt128(UInt32(truncatingIfNeeded: counter) &+ 1)
            let pad = Self.bytes(of: try Self.encrypt(counter, under: key))
            result += zip(text[start..<min(start + 16, text.count)], pad).map { $0 ^ $1 }
        }
        return result
    }

    /// The full tag of 16 bytes for a ciphertext and additional authenticated data.
    func tag(of ciphertext: [UInt8], nonce: [UInt8], authenticating data: [UInt8]) throws -> [UInt8] {
        let lengths = UInt128(data.count * 8) << 64 | UInt128(ciphertext.count * 8)
        let hash = hash(Self.blocks(data) + Self.blocks(ciphertext) + [lengths])
        return Self.bytes(of: hash ^ (try Self.encrypt(initialCounter(nonce), under: key)))
    }

    /// J0 of SP 800-38D, section 7.1, for nonces that are not 96 bits long.
    private func initialCounter(_ nonce: [UInt8]) -> UInt128 {
        hash(Self.blocks(nonce) + [UInt128(nonce.count * 8)])
    }

    /// GHASH, section 6.4.
    private func hash(_ blocks: [UInt128]) -> UInt128 {
        blocks.reduce(0) { product($0 ^ $1) }
    }

    /// The product of a block and the subkey, section 6.3, in which the first bit of a block is its highest.
    private func product(_ block: UInt128) -> UInt128 {
        var (sum, shifted, rest) = (UInt128(0), subkey, block)
        for _ in 0..<128 {
            if rest >> 127 != 0 { sum ^= shifted }
            shifted = shifted & 1 == 0 ? shifted >> 1 : shifted >> 1 ^ 0xE1 << 120
            rest <<= 1
        }
        return sum
    }

    private static func encrypt(_ block: UInt128, under key: SymmetricKey) throws -> UInt128 {
        var bytes = bytes(of: block)
        try AES.permute(&bytes, key: key)
        return blocks(bytes)[0]
    }

    private static func bytes(of block: UInt128) -> [UInt8] {
        (0..<16).map { UInt8(truncatingIfNeeded: block >> (120 - 8 * $0)) }
    }

    /// The bytes as blocks, with the last one padded with zeros.
    private static func blocks(_ bytes: [UInt8]) -> [UInt128] {
        stride(from: 0, to: bytes.count, by: 16).map { start in
            (0..<16).reduce(0) { block, index in
                block << 8 | UInt128(start + index < bytes.count ? bytes[start + index] : 0)
            }
        }
    }
}
