import Crypto

/// What two devices share for the connections of one stream over a local network.
///
/// It follows from the secrets in both offers and from the session in which they were exchanged. Keys are derived from it
/// for each connection, with random numbers of both ends and the side that opened it: so nothing that was recorded opens
/// another connection, and nothing that a device has sent can be returned to it.
package struct NetworkSecret: Sendable {
    /// Which side of the session opens a connection.
    package enum Opener: UInt8, Hashable, Sendable, CaseIterable {
        case caller = 1
        case listener = 2
    }

    /// The keys of one connection.
    package struct Keys: Sendable {
        /// Identifies the connection, ``identifierBytes``.
        package let identifier: [UInt8]
        /// From the end that opened the connection to the other.
        let forth: NoiseCipherState
        /// From the end that accepted it.
        let back: NoiseCipherState

        /// Returns both directions of the end that opened the connection, or of the other.
        package func directions(ofOpener isOpener: Bool) -> (sending: NoiseSender, receiving: NoiseReceiver) {
            isOpener
                ? (NoiseSender(state: forth), NoiseReceiver(state: back))
                : (NoiseSender(state: back), NoiseReceiver(state: forth))
        }
    }

    /// The length of the random number of each end.
    package static let nonceBytes = 16
    /// The length of ``proof(of:nonce:)``.
    package static let proofBytes = 32
    /// The length of ``Keys/identifier``.
    package static let identifierBytes = 16

    private let secret: SymmetricKey
    private let cipher: NoiseCipher

    /// Derives the secret of a stream.
    ///
    /// - Parameters:
    ///   - caller: the 32 bytes in the offer of the session's caller.
    ///   - listener: those in the offer of its listener.
    ///   - handshakeHash: identifies the session.
    ///   - cipher: what encrypts the connections, as follows from both offers.
    package init(caller: [UInt8], listener: [UInt8], handshakeHash: [UInt8], cipher: NoiseCipher) {
        self.cipher = cipher
        secret = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: caller + listener),
            salt: handshakeHash,
            info: Array("handoffd v2 network secret".utf8),
            outputByteCount: 32
        )
    }

    /// Returns what the end that opens a connection proves its knowledge of the secret with, for its random number.
    package func proof(of opener: Opener, nonce: [UInt8]) -> [UInt8] {
        derive("handoffd v2 network opening", [opener.rawValue] + nonce, Self.proofBytes).withUnsafeBytes { Array($0) }
    }

    /// Whether a proof is the one for a random number; takes the same time for each wrong one.
    package func accepts(_ proof: [UInt8], of opener: Opener, nonce: [UInt8]) -> Bool {
        let expected = self.proof(of: opener, nonce: nonce)
        guard proof.count == expected.count else { return false }
        return zip(proof, expected).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }

    /// Returns the keys of a connection.
    ///
    /// - Parameters:
    ///   - opener: the side of the session that opened the connection.
    ///   - nonce: the random number of the end that opened it.
    ///   - answer: that of the end that accepted it.
    package func keys(of opener: Opener, nonce: [UInt8], answer: [UInt8]) -> Keys {
        let output = derive(keyLabel, [opener.rawValue] + nonce + answer, 64 + Self.identifierBytes)
        return output.withUnsafeBytes { bytes in
            // Through no array: those are not zeroed.
            func state(_ part: Range<Int>) -> NoiseCipherState {
                NoiseCipherState(cipher, key: SymmetricKey(data: UnsafeRawBufferPointer(rebasing: bytes[part])))
            }
            return Keys(identifier: Array(bytes[64...]), forth: state(0..<32), back: state(32..<64))
        }
    }

    /// Each cipher has keys of its own.
    private var keyLabel: String {
        switch cipher {
        case .chaChaPoly: "handoffd v2 network keys"
        case .aesGCM: "handoffd v2 network keys AESGCM"
        }
    }

    private func derive(_ label: String, _ input: [UInt8], _ count: Int) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(inputKeyMaterial: secret, info: Array(label.utf8) + input, outputByteCount: count)
    }
}
