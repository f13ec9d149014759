/// The id of one exchange between two devices: the first 8 bytes of the hash of its handshake.
package struct PairingID: Hashable, Sendable {
    /// The length in bytes.
    package static let byteCount = 8

    package let bytes: [UInt8]

    /// Creates an id from its bytes; nil unless there are eight.
    package init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    init(handshakeHash: [UInt8]) {
        bytes = Array(handshakeHash.prefix(Self.byteCount))
    }
}
