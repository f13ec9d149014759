import HandoffCrypto
import HandoffWire

/// The encrypted messages of one pairing: frames of bytes in, messages out, and the other way round.
struct PairingChannel: Sendable {
    /// The longest frame, of a handshake too.
    static let maximumFrame = DevicePublicKey.byteCount + PairingMessage.maximumBytes + NoiseTransport.overheadBytes

    private var transport: NoiseTransport
    let settlingKey: AdvertisingKey

    init(_ secrets: PairingHandshake.Secrets) {
        transport = secrets.transport
        settlingKey = secrets.settlingKey
    }

    /// The hash of the handshake.
    var handshakeHash: [UInt8] { transport.handshakeHash }

    /// The frame that carries a message.
    mutating func seal(_ message: PairingMessage) -> [UInt8] {
        guard let sealed = try? transport.encrypt(message.encode()) else {
            preconditionFailure("a pairing has few and short messages")
        }
        return FrameCodec.encode(sealed)
    }

    /// The message that a frame carried.
    mutating func open(_ frame: [UInt8]) throws -> PairingMessage {
        try PairingMessage(decoding: try plaintext(of: frame))
    }

    /// The bytes of the message that a frame carried.
    mutating func plaintext(of frame: [UInt8]) throws -> [UInt8] {
        try transport.decrypt(frame)
    }
}
