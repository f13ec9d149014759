/// One side of the handshake of a pairing, Noise_NN_25519_ChaChaPoly_SHA256 (Noise rev 34, section 7.5).
///
/// Neither side knows the other, and nothing is authenticated: the result is a channel that only two devices can read.
/// ``PairingDigits`` let two people check that these are their devices.
///
///     -> e
///     <- e, ee
///
/// The caller writes, then reads; the listener reads, then writes; then both call ``split()``. Any other order throws
/// ``CryptoError/Code/outOfOrder``, and after any error the handshake cannot be continued.
package struct PairingHandshake: Sendable {
    /// The Noise protocol name.
    package static let protocolName = "Noise_NN_25519_ChaChaPoly_SHA256"

    /// The prologue of handoffd's protocol, version 2, which both sides hash first.
    package static let prologue = Array("handoffd v2 pairing".utf8)

    /// The secrets that a pairing uses after its handshake.
    package struct Secrets: Sendable {
        /// Encrypts and decrypts all further messages.
        package var transport: NoiseTransport
        /// What the proofs of both sides are bound to.
        package let binding: PairingBinding
        /// The key under which the two devices find each other again if the outcome of the pairing is unknown.
        package let settlingKey: AdvertisingKey
    }

    private enum Step: Sendable {
        case start
        case sentFirst(AgreementKey)
        case receivedFirst(AgreementPublicKey)
        case finished(local: AgreementKey, remote: AgreementPublicKey)
        case failed
    }

    private let isCaller: Bool
    private let fixedEphemeral: AgreementKey?
    private var symmetric: NoiseSymmetricState
    private var step = Step.start

    /// Creates one side of a handshake: the caller, which dialled, or the listener.
    package init(isCaller: Bool, ephemeralForTestVectors: AgreementKey? = nil) {
        self.isCaller = isCaller
        fixedEphemeral = ephemeralForTestVectors
        symmetric = NoiseSymmetricState(protocolName: Self.protocolName)
        symmetric.mixHash(Self.prologue)
    }

    /// Returns the next message with `payload`.
    ///
    /// Anybody can read the caller's payload; only the caller can read the listener's.
    ///
    /// - Throws: ``CryptoError/Code/outOfOrder`` or ``CryptoError/Code/weakKey``.
    package mutating func writeMessage(_ payload: [UInt8]) throws(CryptoError) -> [UInt8] {
        let current = step
        step = .failed
        let ephemeral = fixedEphemeral ?? .generate()
        symmetric.mixHash(ephemeral.publicKey.rawRepresentation)
        switch current {
        case .start where isCaller: step = .sentFirst(ephemeral)
        case .receivedFirst(let remote):
            symmetric.mixKey(try ephemeral.sharedSecret(with: remote))  // ee
            step = .finished(local: ephemeral, remote: remote)
        default: throw Self.outOfOrder
        }
        return ephemeral.publicKey.rawRepresentation + (try symmetric.encryptAndHash(payload))
    }

    /// Returns the payload of the other side's message.
    ///
    /// - Throws: ``CryptoError/Code/outOfOrder``, ``CryptoError/Code/malformed``, ``CryptoError/Code/weakKey``, or
    ///   ``CryptoError/Code/authenticationFailed`` when the message was changed in transit.
    package mutating func readMessage(_ message: [UInt8]) throws(CryptoError) -> [UInt8] {
        let current = step
        step = .failed
        guard (AgreementPublicKey.byteCount...NoiseHandshake.maximumMessageBytes).contains(message.count) else {
            throw CryptoError(
                .malformed,
                "A handshake message has \(AgreementPublicKey.byteCount) to \(NoiseHandshake.maximumMessageBytes) bytes, got \(message.count)."
            )
        }
        let remote = AgreementPublicKey(unchecked: Array(message[..<AgreementPublicKey.byteCount]))
        symmetric.mixHash(remote.rawRepresentation)
        let next: Step
        switch current {
        case .start where !isCaller: next = .receivedFirst(remote)
        case .sentFirst(let ephemeral):
            symmetric.mixKey(try ephemeral.sharedSecret(with: remote))  // ee
            next = .finished(local: ephemeral, remote: remote)
        default: throw Self.outOfOrder
        }
        let payload = try symmetric.decryptAndHash(Array(message[AgreementPublicKey.byteCount...]))
        step = next
        return payload
    }

    /// Returns the secrets for the rest of the pairing.
    ///
    /// - Throws: ``CryptoError/Code/outOfOrder`` before both messages were exchanged.
    package consuming func split() throws(CryptoError) -> Secrets {
        guard case .finished(let local, let remote) = step else { throw Self.outOfOrder }
        let (caller, listener) = symmetric.split()
        let settlingKey = try AdvertisingKey(rawRepresentation: symmetric.export("handoffd v2 pairing settling"))
        let transport = NoiseTransport(
            sending: isCaller ? caller : listener,
            receiving: isCaller ? listener : caller,
            handshakeHash: symmetric.hash
        )
        let binding = PairingBinding(
            isCaller: isCaller,
            handshakeHash: symmetric.hash,
            localEphemeral: local,
            remoteEphemeral: remote
        )
        return Secrets(transport: transport, binding: binding, settlingKey: settlingKey)
    }

    private static var outOfOrder: CryptoError {
        CryptoError(.outOfOrder, "The handshake step is out of order.")
    }
}
