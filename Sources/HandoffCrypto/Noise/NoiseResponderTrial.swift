import Crypto

/// Finds out which of many devices sent a first handshake message, since the message does not name its sender.
///
/// The cost is one X25519 agreement for each device, which is kept; one for each message, with its ephemeral key; and
/// only hashes and one tag for each pair of device and message.
package struct NoiseResponderTrial<ID: Hashable & Sendable>: Sendable {
    /// The caller, the payload of its message, and the handshake that answers it.
    package struct Match: Sendable {
        /// The caller.
        package let id: ID
        /// The payload of the first message.
        package let payload: [UInt8]
        /// The handshake, ready to write the second message.
        package var handshake: NoiseHandshake
    }

    private struct Candidate: Sendable {
        let id: ID
        let remoteStatic: AgreementPublicKey
        let staticSecret: SymmetricKey
    }

    private let localStatic: AgreementKey
    private let candidates: [Candidate]

    /// Prepares to answer these devices.
    ///
    /// - Throws: ``CryptoError/Code/weakKey`` when a device's key is of low order; do not store such a key.
    package init(
        localStatic: AgreementKey,
        candidates: [(ID, AgreementPublicKey)]
    ) throws(CryptoError) {
        self.localStatic = localStatic
        var prepared: [Candidate] = []
        for (id, remoteStatic) in candidates {
            prepared.append(
                Candidate(
                    id: id,
                    remoteStatic: remoteStatic,
                    staticSecret: try localStatic.sharedSecret(with: remoteStatic)
                )
            )
        }
        self.candidates = prepared
    }

    /// Returns a trial of some of these devices only.
    package func filtered(_ isIncluded: (ID) -> Bool) -> NoiseResponderTrial {
        NoiseResponderTrial(localStatic: localStatic, prepared: candidates.filter { isIncluded($0.id) })
    }

    /// Returns the device that sent this message, with its payload and the handshake.
    ///
    /// - Parameters:
    ///   - message: the first handshake message.
    ///   - ephemeralForTestVectors: this side's ephemeral key where a vector fixes it; nil for a new one.
    ///   - prologue: returns the bytes that both sides hash first, if that device is the caller.
    /// - Throws: ``CryptoError/Code/authenticationFailed`` when none of these devices sent it;
    ///   ``CryptoError/Code/malformed`` or ``CryptoError/Code/weakKey`` when the message is invalid.
    package func match(
        _ message: [UInt8],
        ephemeralForTestVectors: AgreementKey? = nil,
        prologue: (ID) -> [UInt8]
    ) throws(CryptoError) -> Match {
        let (remoteEphemeral, ciphertext) = try NoiseHandshake.parse(message)
        // The secrets up to here do not depend on the caller; only the transcript does.
        var common = NoiseSymmetricState(protocolName: NoiseHandshake.protocolName)
        common.mixKey(try localStatic.sharedSecret(with: remoteEphemeral))  // es
        for candidate in candidates {
            let transcript = NoiseHandshake.symmetric(
                initiator: candidate.remoteStatic,
                responder: localStatic.publicKey,
                prologue: prologue(candidate.id)
            ).hash
            var symmetric = common.withTranscript(transcript)
            symmetric.mixHash(remoteEphemeral.rawRepresentation)
            symmetric.mixKey(candidate.staticSecret)  // ss
            guard let payload = try? symmetric.decryptAndHash(ciphertext) else { continue }
            let handshake = NoiseHandshake.responder(
                localStatic: localStatic,
                remoteStatic: candidate.remoteStatic,
                symmetric: symmetric,
                received: remoteEphemeral,
                ephemeralForTestVectors: ephemeralForTestVectors
            )
            return Match(id: candidate.id, payload: payload, handshake: handshake)
        }
        throw CryptoError(
            .authenticationFailed,
            "The caller is not a member of this device's circle: pair the devices."
        )
    }

    private init(localStatic: AgreementKey, prepared: [Candidate]) {
        self.localStatic = localStatic
        candidates = prepared
    }
}
