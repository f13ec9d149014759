/// Finds out which of many devices sent a first handshake message, since the message names nobody.
///
/// Once for each device: one X25519 agreement, kept. Once for each message: one more, with its ephemeral key. For each
/// device and message then only hashes and one tag.
package struct NoiseResponderTrial<ID: Hashable & Sendable>: Sendable {
    /// The device that called, what its message held, and the handshake that answers it.
    package struct Match: Sendable {
        /// Who called.
        package let id: ID
        /// What the first message held.
        package let payload: [UInt8]
        /// The handshake, ready to write the second message.
        package var handshake: NoiseHandshake
    }

    private struct Candidate: Sendable {
        let id: ID
        let remoteStatic: DevicePublicKey
        let staticSecret: [UInt8]
        /// The transcript's hash before the first message.
        let transcript: [UInt8]
    }

    private let localStatic: AgreementKey
    private let candidates: [Candidate]

    /// Prepares for calls from these devices.
    ///
    /// - Throws: ``CryptoError/Code/weakKey`` when a device's key is of low order; such a key must not be kept.
    package init(
        localStatic: AgreementKey,
        candidates: [(ID, DevicePublicKey)],
        prologue: [UInt8] = NoiseHandshake.prologue
    ) throws(CryptoError) {
        self.localStatic = localStatic
        var prepared: [Candidate] = []
        for (id, remoteStatic) in candidates {
            prepared.append(
                Candidate(
                    id: id,
                    remoteStatic: remoteStatic,
                    staticSecret: try localStatic.sharedSecret(with: remoteStatic),
                    transcript: NoiseHandshake.symmetric(
                        initiator: remoteStatic,
                        responder: localStatic.publicKey,
                        prologue: prologue
                    ).hash
                )
            )
        }
        self.candidates = prepared
    }

    /// The device whose message this is.
    ///
    /// - Throws: ``CryptoError/Code/authenticationFailed`` when it is nobody's, ``CryptoError/Code/malformed`` or
    ///   ``CryptoError/Code/weakKey`` when it can be nobody's.
    package func match(_ message: [UInt8]) throws(CryptoError) -> Match {
        let (remoteEphemeral, ciphertext) = try NoiseHandshake.parse(message)
        // The secrets up to here do not depend on who calls; only the transcript does.
        var common = NoiseSymmetricState(protocolName: NoiseHandshake.protocolName)
        common.mixKey(try localStatic.sharedSecret(with: remoteEphemeral))  // es
        for candidate in candidates {
            var symmetric = common.withTranscript(candidate.transcript)
            symmetric.mixHash(remoteEphemeral.rawRepresentation)
            symmetric.mixKey(candidate.staticSecret)  // ss
            guard let payload = try? symmetric.decryptAndHash(ciphertext) else { continue }
            let handshake = NoiseHandshake.responder(
                localStatic: localStatic,
                remoteStatic: candidate.remoteStatic,
                symmetric: symmetric,
                received: remoteEphemeral
            )
            return Match(id: candidate.id, payload: payload, handshake: handshake)
        }
        throw CryptoError(.authenticationFailed, "The caller is none of this device's circle: pair the devices.")
    }
}
