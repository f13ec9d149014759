/// One side of a handshake Noise_KK_25519_ChaChaPoly_SHA256 (Noise rev 34, section 7.5).
///
/// Both sides know each other's public key, and neither is sent:
///
///     -> s
///     <- s
///     ...
///     -> e, es, ss
///     <- e, ee, se
///
/// The initiator writes, then reads; the responder reads, then writes; then both ``split()``. Any other order throws
/// ``CryptoError/Code/outOfOrder``, and after any error the handshake is over.
package struct NoiseHandshake: Sendable {
    /// The protocol's name in the words of Noise.
    package static let protocolName = "Noise_KK_25519_ChaChaPoly_SHA256"

    /// What both sides of handoffd's protocol, version 1, hash first.
    package static let prologue = Array("handoffd v1 session".utf8)

    /// The longest message in bytes (Noise rev 34, section 3).
    package static let maximumMessageBytes = 65_535

    /// How many bytes a handshake message adds to its payload: an ephemeral key and a tag.
    package static let overheadBytes = DevicePublicKey.byteCount + NoiseCipherState.tagBytes

    /// How far a handshake has come.
    private enum Step: Sendable {
        /// Nothing was said.
        case start
        /// The initiator has spoken and waits.
        case sentFirst(localEphemeral: AgreementKey)
        /// The responder has heard the initiator and is to speak.
        case receivedFirst(remoteEphemeral: DevicePublicKey)
        /// Both have spoken.
        case finished
        /// Something was wrong; nothing more can be done.
        case failed
    }

    /// Whether this side spoke first.
    package let isInitiator: Bool

    private let localStatic: AgreementKey
    private let remoteStatic: DevicePublicKey
    private let fixedEphemeral: AgreementKey?
    private var symmetric: NoiseSymmetricState
    private var step: Step

    /// The side that opened the channel.
    package static func initiator(
        localStatic: AgreementKey,
        remoteStatic: DevicePublicKey,
        prologue: [UInt8] = prologue,
        ephemeralForTestVectors: AgreementKey? = nil
    ) -> NoiseHandshake {
        NoiseHandshake(
            isInitiator: true,
            step: .start,
            localStatic: localStatic,
            remoteStatic: remoteStatic,
            symmetric: symmetric(initiator: localStatic.publicKey, responder: remoteStatic, prologue: prologue),
            fixedEphemeral: ephemeralForTestVectors
        )
    }

    /// The side that was called, when it knows by whom; otherwise see ``NoiseResponderTrial``.
    package static func responder(
        localStatic: AgreementKey,
        remoteStatic: DevicePublicKey,
        prologue: [UInt8] = prologue,
        ephemeralForTestVectors: AgreementKey? = nil
    ) -> NoiseHandshake {
        NoiseHandshake(
            isInitiator: false,
            step: .start,
            localStatic: localStatic,
            remoteStatic: remoteStatic,
            symmetric: symmetric(initiator: remoteStatic, responder: localStatic.publicKey, prologue: prologue),
            fixedEphemeral: ephemeralForTestVectors
        )
    }

    /// Whether both messages have passed.
    package var isFinished: Bool {
        if case .finished = step { true } else { false }
    }

    /// A hash that both sides share and that names this session, once finished; a channel binding (rev 34, section 11.2).
    package var handshakeHash: [UInt8] { symmetric.hash }

    /// The next message, with a payload inside.
    ///
    /// The first message's payload can be replayed by whoever recorded it; the second's cannot.
    ///
    /// - Throws: ``CryptoError/Code/outOfOrder``, ``CryptoError/Code/weakKey``, or ``CryptoError/Code/malformed`` when the
    ///   message would be longer than ``maximumMessageBytes``.
    package mutating func writeMessage(_ payload: [UInt8]) throws(CryptoError) -> [UInt8] {
        let current = step
        step = .failed
        guard payload.count + Self.overheadBytes <= Self.maximumMessageBytes else {
            throw CryptoError(.malformed, "A handshake payload of \(payload.count) bytes is too long: cut it.")
        }
        let ephemeral = fixedEphemeral ?? .generate()
        symmetric.mixHash(ephemeral.publicKey.rawRepresentation)
        switch current {
        case .start where isInitiator:
            symmetric.mixKey(try ephemeral.sharedSecret(with: remoteStatic))  // es
            symmetric.mixKey(try localStatic.sharedSecret(with: remoteStatic))  // ss
        case .receivedFirst(let remoteEphemeral):
            symmetric.mixKey(try ephemeral.sharedSecret(with: remoteEphemeral))  // ee
            symmetric.mixKey(try ephemeral.sharedSecret(with: remoteStatic))  // se
        default:
            throw Self.outOfOrder
        }
        let message = ephemeral.publicKey.rawRepresentation + (try symmetric.encryptAndHash(payload))
        step = isInitiator ? .sentFirst(localEphemeral: ephemeral) : .finished
        return message
    }

    /// The payload of the other side's next message.
    ///
    /// - Throws: ``CryptoError/Code/outOfOrder``, ``CryptoError/Code/malformed``, ``CryptoError/Code/weakKey``, or
    ///   ``CryptoError/Code/authenticationFailed`` when it is not by the holder of the remote key, or not to us.
    package mutating func readMessage(_ message: [UInt8]) throws(CryptoError) -> [UInt8] {
        let current = step
        step = .failed
        let (remoteEphemeral, ciphertext) = try Self.parse(message)
        symmetric.mixHash(remoteEphemeral.rawRepresentation)
        switch current {
        case .start where !isInitiator:
            symmetric.mixKey(try localStatic.sharedSecret(with: remoteEphemeral))  // es
            symmetric.mixKey(try localStatic.sharedSecret(with: remoteStatic))  // ss
        case .sentFirst(let localEphemeral):
            symmetric.mixKey(try localEphemeral.sharedSecret(with: remoteEphemeral))  // ee
            symmetric.mixKey(try localStatic.sharedSecret(with: remoteEphemeral))  // se
        default:
            throw Self.outOfOrder
        }
        let payload = try symmetric.decryptAndHash(ciphertext)
        step = isInitiator ? .finished : .receivedFirst(remoteEphemeral: remoteEphemeral)
        return payload
    }

    /// What encrypts and decrypts from here on.
    ///
    /// - Throws: ``CryptoError/Code/outOfOrder`` before both messages have passed.
    package consuming func split() throws(CryptoError) -> NoiseTransport {
        guard isFinished else { throw Self.outOfOrder }
        let (initiator, responder) = symmetric.split()
        return NoiseTransport(
            sending: isInitiator ? initiator : responder,
            receiving: isInitiator ? responder : initiator,
            handshakeHash: handshakeHash
        )
    }
}

extension NoiseHandshake {
    /// What both sides know before the first message.
    static func symmetric(
        initiator: DevicePublicKey,
        responder: DevicePublicKey,
        prologue: [UInt8]
    ) -> NoiseSymmetricState {
        var symmetric = NoiseSymmetricState(protocolName: protocolName)
        symmetric.mixHash(prologue)
        symmetric.mixHash(initiator.rawRepresentation)
        symmetric.mixHash(responder.rawRepresentation)
        return symmetric
    }

    /// The ephemeral key and the encrypted payload of a handshake message.
    static func parse(_ message: [UInt8]) throws(CryptoError) -> (DevicePublicKey, ciphertext: [UInt8]) {
        guard (overheadBytes...maximumMessageBytes).contains(message.count) else {
            throw CryptoError(.malformed, "A handshake message of \(message.count) bytes is none.")
        }
        let ephemeral = DevicePublicKey(unchecked: Array(message[..<DevicePublicKey.byteCount]))
        return (ephemeral, Array(message[DevicePublicKey.byteCount...]))
    }

    /// A responder that has already read the first message.
    static func responder(
        localStatic: AgreementKey,
        remoteStatic: DevicePublicKey,
        symmetric: NoiseSymmetricState,
        received remoteEphemeral: DevicePublicKey
    ) -> NoiseHandshake {
        NoiseHandshake(
            isInitiator: false,
            step: .receivedFirst(remoteEphemeral: remoteEphemeral),
            localStatic: localStatic,
            remoteStatic: remoteStatic,
            symmetric: symmetric,
            fixedEphemeral: nil
        )
    }

    private init(
        isInitiator: Bool,
        step: Step,
        localStatic: AgreementKey,
        remoteStatic: DevicePublicKey,
        symmetric: NoiseSymmetricState,
        fixedEphemeral: AgreementKey?
    ) {
        self.isInitiator = isInitiator
        self.step = step
        self.localStatic = localStatic
        self.remoteStatic = remoteStatic
        self.symmetric = symmetric
        self.fixedEphemeral = fixedEphemeral
    }

    private static var outOfOrder: CryptoError {
        CryptoError(.outOfOrder, "This is not the next step of the handshake.")
    }
}
