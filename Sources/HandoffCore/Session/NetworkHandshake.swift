package import HandoffCrypto
package import HandoffWire

/// A connection over a local network of which both ends have proved that they belong to the stream.
package struct ProvenConnection: Sendable {
    package let id: NetworkConnectionID
    /// Encrypts what this end sends from now on.
    package let sending: NoiseSender
    /// Decrypts what the other end sends from now on.
    package let receiving: NoiseReceiver

    fileprivate init(_ keys: NetworkSecret.Keys, _ sending: NoiseSender, _ receiving: NoiseReceiver) {
        guard let id = NetworkConnectionID(bytes: keys.identifier) else {
            preconditionFailure("an identifier has \(NetworkConnectionID.byteCount) bytes")
        }
        self.id = id
        self.sending = sending
        self.receiving = receiving
    }
}

/// The end that opens a connection over a local network: it proves itself, checks the other end, and confirms.
///
/// Bytes in, bytes out (Docs/Protocol.md, "Over a local network").
package struct NetworkOpening: Sendable {
    private let secret: NetworkSecret
    private let opener: NetworkSecret.Opener
    private let nonce: [UInt8]

    /// The number of bytes that the other end answers.
    package static let answerBytes = NetworkSecret.nonceBytes + NoiseTransport.overheadBytes

    /// Begins with a random number; a fixed one only where a vector has it.
    package init(
        _ secret: NetworkSecret,
        by opener: NetworkSecret.Opener,
        nonceForTestVectors: [UInt8]? = nil
    ) {
        self.secret = secret
        self.opener = opener
        nonce = nonceForTestVectors ?? HandshakeNonce.random()
    }

    /// What this end sends first.
    package var opening: [UInt8] { nonce + secret.proof(of: opener, nonce: nonce) }

    /// Checks the answer; returns the connection, and what this end sends to confirm it.
    ///
    /// - Throws: ``HandoffError`` with `peerMisbehaved` when the other end does not have the secret.
    package func finish(_ answer: [UInt8]) throws(HandoffError) -> (connection: ProvenConnection, confirmation: [UInt8])
    {
        try SessionErrorMapping.mappingErrors { () throws in
            let keys = secret.keys(of: opener, nonce: nonce, answer: Array(answer.prefix(NetworkSecret.nonceBytes)))
            var (sending, receiving) = keys.directions(ofOpener: true)
            guard try receiving.decrypt(Array(answer.dropFirst(NetworkSecret.nonceBytes))).isEmpty else {
                throw HandoffError(.peerMisbehaved, "The answer to a connection has contents.", violation: .malformed)
            }
            let confirmation = try sending.encrypt([])
            return (ProvenConnection(keys, sending, receiving), confirmation)
        }
    }
}

/// The end that accepts a connection over a local network: it says nothing before the other end has proved itself.
package struct NetworkAcceptance: Sendable {
    private let keys: NetworkSecret.Keys
    private let sending: NoiseSender
    private let receiving: NoiseReceiver
    /// What this end sends after the opening.
    package let answer: [UInt8]

    /// The number of bytes with which the other end begins.
    package static let openingBytes = NetworkSecret.nonceBytes + NetworkSecret.proofBytes
    /// The number of bytes with which it confirms.
    package static let confirmationBytes = NoiseTransport.overheadBytes

    /// Checks the opening.
    ///
    /// - Parameters:
    ///   - opening: ``openingBytes`` bytes.
    ///   - opener: the other side of the session.
    /// - Throws: ``HandoffError`` with `notTrusted` when the other end does not have the secret.
    package init(
        _ secret: NetworkSecret,
        opening: [UInt8],
        by opener: NetworkSecret.Opener,
        nonceForTestVectors: [UInt8]? = nil
    ) throws(HandoffError) {
        let nonce = Array(opening.prefix(NetworkSecret.nonceBytes))
        guard secret.accepts(Array(opening.dropFirst(NetworkSecret.nonceBytes)), of: opener, nonce: nonce) else {
            throw HandoffError(.notTrusted, "A stranger has connected to the port of a stream.")
        }
        let own = nonceForTestVectors ?? HandshakeNonce.random()
        keys = secret.keys(of: opener, nonce: nonce, answer: own)
        var (sending, receiving) = keys.directions(ofOpener: false)
        answer = try SessionErrorMapping.mappingErrors { own + (try sending.encrypt([])) }
        self.sending = sending
        self.receiving = receiving
    }

    /// Checks the confirmation: the other end has not repeated what somebody else has sent.
    ///
    /// - Throws: ``HandoffError`` with `peerMisbehaved`.
    package func finish(_ confirmation: [UInt8]) throws(HandoffError) -> ProvenConnection {
        var receiving = receiving
        let content = try SessionErrorMapping.mappingErrors { try receiving.decrypt(confirmation) }
        guard content.isEmpty else {
            throw HandoffError(.peerMisbehaved, "The confirmation has contents.", violation: .malformed)
        }
        return ProvenConnection(keys, sending, receiving)
    }
}

/// The random number of one end of a connection.
private enum HandshakeNonce {
    static func random() -> [UInt8] {
        var random = SystemRandomNumberGenerator()
        return (0..<NetworkSecret.nonceBytes).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    }
}
