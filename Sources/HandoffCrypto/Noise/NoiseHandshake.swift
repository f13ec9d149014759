/// One side of a Noise_KK_25519_ChaChaPoly_SHA256 handshake (Noise rev 34, section 7.5).
///
/// Both sides know each other's static public key; neither key is sent:
///
///     -> s
///     <- s
///     ...
///     -> e, es, ss
///     <- e, ee, se
///
/// The initiator writes, then reads; the responder reads, then writes; then both call ``split()``. Any other order
/// throws ``CryptoError/Code/outOfOrder``, and after any error the handshake cannot be continued.
package struct NoiseHandshake: Sendable {
    /// The Noise protocol name.
    package static let protocolName = "Noise_KK_25519_ChaChaPoly_SHA256"

    /// The first bytes of every session's prologue; the listener's ``SessionGreeting`` and both devices' public
    /// keys follow.
    static let label = Array("handoffd v2 session".utf8)

    /// The longest message in bytes (Noise rev 34, section 3).
    package static let maximumMessageBytes = 65_535

    /// The number of bytes that a handshake message adds to its payload: an ephemeral key and a tag.
    package static let overheadBytes = AgreementPublicKey.byteCount + NoiseCipherState.tagBytes

    /// The progress of a handshake.
    private enum Step: Sendable {
        /// No message was sent or received.
        case start
        /// The initiator has sent its message and waits for the response.
        case sentFirst(localEphemeral: AgreementKey)
        /// The responder has read the initiator's message and has not answered yet.
        case receivedFirst(remoteEphemeral: AgreementPublicKey)
        /// Both messages were exchanged.
        case finished
        /// The handshake failed and cannot be continued.
        case failed
    }

    /// Whether this side sends the first message.
    package let isInitiator: Bool

    private let localStatic: AgreementKey
    private let remoteStatic: AgreementPublicKey
    private let fixedEphemeral: AgreementKey?
    private var symmetric: NoiseSymmetricState
    private var step: Step

    /// Returns the handshake of the side that opened the channel.
    package static func initiator(
        localStatic: AgreementKey,
        remoteStatic: AgreementPublicKey,
        prologue: [UInt8],
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

    /// Returns the handshake of the responder when it knows the initiator; otherwise see ``NoiseResponderTrial``.
    package static func responder(
        localStatic: AgreementKey,
        remoteStatic: AgreementPublicKey,
        prologue: [UInt8],
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

    /// Whether both messages were exchanged.
    package var isFinished: Bool {
        if case .finished = step { true } else { false }
    }

    /// The handshake hash, which identifies this session once finished; a channel binding (rev 34, section 11.2).
    package var handshakeHash: [UInt8] { symmetric.hash }

    /// Returns the next message with `payload`.
    ///
    /// - Throws: ``CryptoError/Code/outOfOrder``, ``CryptoError/Code/weakKey``, or ``CryptoError/Code/malformed`` when
    ///   the message would be longer than ``maximumMessageBytes``.
    package mutating func writeMessage(_ payload: [UInt8]) throws(CryptoError) -> [UInt8] {
        let current = step
        step = .failed
        guard payload.count + Self.overheadBytes <= Self.maximumMessageBytes else {
            throw CryptoError(.malformed, "The handshake payload of \(payload.count) bytes is too long: shorten it.")
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

    /// Returns the payload of the other side's next message.
    ///
    /// - Throws: ``CryptoError/Code/outOfOrder``, ``CryptoError/Code/malformed``, ``CryptoError/Code/weakKey``, or
    ///   ``CryptoError/Code/authenticationFailed`` when the sender does not hold the remote key, or it is not for this
    ///   device.
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

    /// Returns the transport that encrypts and decrypts all further messages.
    ///
    /// - Throws: ``CryptoError/Code/outOfOrder`` before both messages were exchanged.
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
    /// Returns the state that both sides share before the first message.
    static func symmetric(
        initiator: AgreementPublicKey,
        responder: AgreementPublicKey,
        prologue: [UInt8]
    ) -> NoiseSymmetricState {
        var symmetric = NoiseSymmetricState(protocolName: protocolName)
        symmetric.mixHash(prologue)
        symmetric.mixHash(initiator.rawRepresentation)
        symmetric.mixHash(responder.rawRepresentation)
        return symmetric
    }

    /// Splits a handshake message into the ephemeral key and the encrypted payload.
    static func parse(_ message: [UInt8]) throws(CryptoError) -> (AgreementPublicKey, ciphertext: [UInt8]) {
        guard (overheadBytes...maximumMessageBytes).contains(message.count) else {
            throw CryptoError(
                .malformed,
                "A handshake message has \(overheadBytes) to \(maximumMessageBytes) bytes, got \(message.count)."
            )
        }
        let ephemeral = AgreementPublicKey(unchecked: Array(message[..<AgreementPublicKey.byteCount]))
        return (ephemeral, Array(message[AgreementPublicKey.byteCount...]))
    }

    /// Returns a responder that has already read the first message.
    static func responder(
        localStatic: AgreementKey,
        remoteStatic: AgreementPublicKey,
        symmetric: NoiseSymmetricState,
        received remoteEphemeral: AgreementPublicKey,
        ephemeralForTestVectors: AgreementKey?
    ) -> NoiseHandshake {
        NoiseHandshake(
            isInitiator: false,
            step: .receivedFirst(remoteEphemeral: remoteEphemeral),
            localStatic: localStatic,
            remoteStatic: remoteStatic,
            symmetric: symmetric,
            fixedEphemeral: ephemeralForTestVectors
        )
    }

    private init(
        isInitiator: Bool,
        step: Step,
        localStatic: AgreementKey,
        remoteStatic: AgreementPublicKey,
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
        CryptoError(.outOfOrder, "The handshake step is out of order.")
    }
}
