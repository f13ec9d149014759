import Crypto
package import HandoffModel

/// A key under which stream tokens are made: 64 bits of HMAC-SHA-256 (RFC 2104).
///
/// Without the key a token says nothing about any other one, not even whether both are of the same key.
package struct StreamTokenKey: Sendable {
    /// The number of bytes in a key.
    package static let byteCount = 32

    private let key: SymmetricKey

    /// Makes a key of exactly ``byteCount`` bytes.
    package init(bytes: [UInt8]) {
        precondition(bytes.count == Self.byteCount, "a key of stream tokens has \(Self.byteCount) bytes")
        key = SymmetricKey(data: bytes)
    }

    private init(_ key: SymmetricKey) {
        self.key = key
    }

    /// Returns a new key, from the system's random number generator.
    package static func generate() -> StreamTokenKey {
        StreamTokenKey(SymmetricKey(size: .bits256))
    }

    /// Returns the token of a number for a device, never 0.
    package func token(of number: UInt64, for device: DeviceID) -> UInt64 {
        let code = HMAC<SHA256>.authenticationCode(for: device.bytes + number.bigEndianBytes(8), using: key)
        return max(UInt64(bigEndianBytes: Array(code).prefix(8)), 1)
    }
}
