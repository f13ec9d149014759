import HandoffCrypto
import HandoffWire

/// The encrypted channel of one pairing: converts between frames of bytes and messages.
struct PairingChannel: Sendable {
    /// The maximum length of a frame, including those of the handshake.
    static let maximumFrame = DevicePublicKey.byteCount + PairingMessage.maximumBytes + NoiseTransport.overheadBytes

    private var transport: NoiseTransport
    let settlingKey: AdvertisingKey

    init(_ secrets: PairingHandshake.Secrets) {
        transport = secrets.transport
        settlingKey = secrets.settlingKey
    }

    /// The hash of the handshake.
    var handshakeHash: [UInt8] { transport.handshakeHash }

    /// Returns the frame that carries a message.
    mutating func seal(_ message: PairingMessage) -> [UInt8] {
        guard let sealed = try? transport.encrypt(message.encode()) else {
            preconditionFailure("a pairing has few and short messages")
        }
        return FrameCodec.encode(sealed)
    }

    /// Returns the message that a frame carries.
    mutating func open(_ frame: [UInt8]) throws -> PairingMessage {
        try PairingMessage(decoding: try plaintext(of: frame))
    }

    /// Returns the encoded message that a frame carries.
    mutating func plaintext(of frame: [UInt8]) throws -> [UInt8] {
        try transport.decrypt(frame)
    }
}
