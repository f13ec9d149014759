import Crypto

/// Makes the identifiers of a device's own advertising keys, and recognizes them when other devices return them.
///
/// To others an identifier is 8 bytes without meaning. To the device they are a number, which grows with each new key
/// (2 bytes), a random part (2), and a MAC of both (4) under a key that follows from its agreement key. So no other
/// device can make up an identifier: whoever returns a number above all that the device has used proves that a later
/// state of it, or another machine with the same keys, exists.
package struct KeyIdentifierSource: Sendable {
    private static let contentBytes = 4

    private let key: SymmetricKey

    /// Makes the source of the device with these keys.
    package init(_ keys: DeviceKeys) {
        key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: keys.agreement.rawRepresentation),
            info: Array("handoffd v2 key identifier".utf8),
            outputByteCount: 32
        )
    }

    /// Returns a new identifier of the key with that number.
    package func identifier(of number: UInt16) -> AdvertisingKeyRecord.ID {
        var generator = SystemRandomNumberGenerator()
        return identifier(of: number, randomForTestVectors: UInt16.random(in: 0...0xFFFF, using: &generator))
    }

    /// Returns the identifier of the key with that number and this random part.
    package func identifier(of number: UInt16, randomForTestVectors random: UInt16) -> AdvertisingKeyRecord.ID {
        let content = UInt64(number).bigEndianBytes(2) + UInt64(random).bigEndianBytes(2)
        return AdvertisingKeyRecord.ID(unchecked: content + mac(of: content))
    }

    /// Returns the number of the key with that identifier; nil when this device has not made it.
    package func number(of id: AdvertisingKeyRecord.ID) -> UInt16? {
        let content = Array(id.bytes.prefix(Self.contentBytes))
        guard mac(of: content) == Array(id.bytes.dropFirst(Self.contentBytes)) else { return nil }
        return UInt16(content[0]) << 8 | UInt16(content[1])
    }

    private func mac(of content: [UInt8]) -> [UInt8] {
        let code = HMAC<SHA256>.authenticationCode(for: content, using: key)
        return Array(Array(code).prefix(AdvertisingKeyRecord.ID.byteCount - Self.contentBytes))
    }
}
