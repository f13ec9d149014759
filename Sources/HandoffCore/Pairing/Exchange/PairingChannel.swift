import HandoffCrypto
import HandoffWire

/// The encrypted channel to a device that has introduced itself: converts between frames of bytes and messages.
struct PairingChannel: Sendable {
    /// The maximum length of a frame, including those of the handshake.
    static let maximumFrame = AgreementPublicKey.byteCount + PairingMessage.maximumBytes + NoiseTransport.overheadBytes

    /// The most messages that the other side may send: an honest one sends ten, and three for each time that another
    /// device has made it take its choice back.
    static let maximumMessages = 256

    /// Whether this side has dialled.
    let isCaller: Bool
    /// The record of the pairing until the local user confirms.
    let record: PairingRecord
    /// The handshake and the introductions, which the digits cover.
    let transcript: PairingTranscript
    private let nonceForTestVectors: PairingNonce?
    private var transport: NoiseTransport
    private var received = 0

    init(
        _ transport: NoiseTransport,
        isCaller: Bool,
        record: PairingRecord,
        transcript: PairingTranscript,
        nonceForTestVectors: PairingNonce?
    ) {
        self.transport = transport
        self.isCaller = isCaller
        self.record = record
        self.transcript = transcript
        self.nonceForTestVectors = nonceForTestVectors
    }

    /// Returns this side's random number for the next exchange of numbers.
    func nextNonce() -> PairingNonce {
        nonceForTestVectors ?? .generate()
    }

    /// Returns the frame that carries a message.
    mutating func seal(_ message: PairingMessage) -> [UInt8] {
        guard let sealed = try? transport.encrypt(message.encode()) else {
            preconditionFailure("a pairing has few and short messages")
        }
        return FrameCodec.encode(sealed)
    }

    /// Returns the message that a frame carries.
    ///
    /// - Throws: ``HandoffError`` with `peerMisbehaved` after ``maximumMessages``: some messages are answered, and the other
    ///   side need not read the answers.
    mutating func open(_ frame: [UInt8]) throws -> PairingMessage {
        received += 1
        guard received <= Self.maximumMessages else {
            throw HandoffError(.peerMisbehaved, "It sent more than \(Self.maximumMessages) messages.")
        }
        return try PairingMessage(decoding: try transport.decrypt(frame))
    }
}
