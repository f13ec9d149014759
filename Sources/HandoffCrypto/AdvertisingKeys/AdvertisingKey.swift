import Crypto

/// A secret under which advertisements are sealed, known to those who may open them: 32 bytes.
package struct AdvertisingKey: Hashable, Sendable {
    /// The number of bytes in a key.
    package static let byteCount = 32

    private let key: SymmetricKey

    /// Returns a new key from the system's random number generator.
    package static func generate() -> AdvertisingKey {
        AdvertisingKey(SymmetricKey(size: .bits256))
    }

    /// Makes a key of exactly 32 bytes.
    ///
    /// - Throws: ``CryptoError/Code/invalidKey`` for any other count.
    package init(rawRepresentation: some Collection<UInt8>) throws(CryptoError) {
        guard rawRepresentation.count == Self.byteCount else {
            throw CryptoError(
                .invalidKey,
                "An advertising key has \(Self.byteCount) bytes, got \(rawRepresentation.count)."
            )
        }
        self.init(SymmetricKey(data: Array(rawRepresentation)))
    }

    /// The key's 32 bytes, which only the circle may know.
    package var rawRepresentation: [UInt8] { key.withUnsafeBytes { Array($0) } }

    package func hash(into hasher: inout Hasher) {
        key.withUnsafeBytes { hasher.combine(bytes: $0) }
    }

    /// Returns the two keys of one slot, when this is the key of the slot's day.
    ///
    /// They are the output of HKDF-SHA-256 (RFC 5869) without salt; the info contains the protocol and the slot. The
    /// first 16 of the 32 output bytes authenticate, the others encrypt.
    func slotKeys(for slot: UInt64) -> SlotKeys {
        let keys = derived(info: Array("handoffd v2 advertisement".utf8) + slot.bigEndianBytes(8))
        return keys.key.withUnsafeBytes { bytes in
            SlotKeys(authentication: bytes[..<16], encryption: bytes[16...])
        }
    }

    /// Returns 32 bytes of HKDF-SHA-256 (RFC 5869) of this key, without salt.
    func derived(info: [UInt8]) -> AdvertisingKey {
        AdvertisingKey(HKDF<SHA256>.deriveKey(inputKeyMaterial: key, info: info, outputByteCount: Self.byteCount))
    }

    init(_ key: SymmetricKey) {
        self.key = key
    }
}
