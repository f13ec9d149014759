/// The 16 random bytes that the listener of a session sends as soon as the channel is open.
///
/// Both sides mix them into the prologue of their handshake, so that a recorded first message opens in no other session:
/// this needs neither a clock nor a memory of what was received before.
package struct SessionGreeting: Hashable, Sendable {
    /// 16 bytes: two listeners, or one that restarts, never use the same (a chance of 2^-64 after 2^32 sessions).
    package static let byteCount = 16

    package let bytes: [UInt8]

    /// Returns a new greeting.
    package static func random() -> SessionGreeting {
        var random = SystemRandomNumberGenerator()
        return SessionGreeting(unchecked: (0..<byteCount).map { _ in UInt8.random(in: .min ... .max, using: &random) })
    }

    /// Returns the greeting with these bytes; nil unless there are 16.
    package init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.init(unchecked: bytes)
    }

    private init(unchecked bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Returns the prologue of the session's handshake (Docs/Protocol.md, "Session").
    ///
    /// The handshake itself covers only the agreement keys; with the prologue it covers all that identifies a device.
    package func prologue(caller: DevicePublicKeys, listener: DevicePublicKeys) -> [UInt8] {
        NoiseHandshake.label + bytes + caller.rawRepresentation + listener.rawRepresentation
    }
}
