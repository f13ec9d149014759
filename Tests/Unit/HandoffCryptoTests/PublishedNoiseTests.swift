import HandoffCrypto
import HandoffTestVectors
import TestLimits
import Testing

/// A test vector in the format of the Noise wiki.
struct PublishedVector: Codable, Equatable, Sendable {
    struct Message: Codable, Equatable, Sendable {
        let payload: String
        let ciphertext: String
    }

    let source: String
    let init_prologue: String
    let init_static: String
    let init_ephemeral: String
    let init_remote_static: String
    let resp_prologue: String
    let resp_static: String
    let resp_ephemeral: String
    let resp_remote_static: String
    let handshake_hash: String?
    let messages: [Message]
}

@Suite("Noise handshakes agree with published vectors", .endsWithin(minutes: 10))
struct PublishedNoiseTests {
    static let vectors: [PublishedVector] = {
        do {
            return try VectorFile<PublishedVector>.load("noise-kk").cases
        } catch {
            Issue.record("Docs/vectors/noise-kk.json cannot be read: \(error)")
            return []
        }
    }()

    @Test("There are vectors from two sources")
    func count() {
        #expect(Self.vectors.count == 2)
    }

    @Test("Both sides write and read every message of the vector", arguments: vectors)
    func vector(vector: PublishedVector) throws {
        var initiator = try initiator(vector)
        var responder = try responder(vector)
        let messages = vector.messages.map { (payload: bytes($0.payload), ciphertext: bytes($0.ciphertext)) }

        #expect(try initiator.writeMessage(messages[0].payload) == messages[0].ciphertext)
        #expect(try responder.readMessage(messages[0].ciphertext) == messages[0].payload)
        #expect(try responder.writeMessage(messages[1].payload) == messages[1].ciphertext)
        #expect(try initiator.readMessage(messages[1].ciphertext) == messages[1].payload)
        if let hash = vector.handshake_hash { #expect(hex(initiator.handshakeHash) == hash) }
        #expect(initiator.handshakeHash == responder.handshakeHash)

        var sides = [try initiator.split(), try responder.split()]
        for (index, message) in messages.dropFirst(2).enumerated() {
            #expect(try sides[index % 2].encrypt(message.payload) == message.ciphertext)
            #expect(try sides[1 - index % 2].decrypt(message.ciphertext) == message.payload)
        }
    }

    @Test("A responder that tries its devices reads the vector as well", arguments: vectors)
    func trial(vector: PublishedVector) throws {
        let trial = try NoiseResponderTrial(
            localStatic: AgreementKey(rawRepresentation: bytes(vector.resp_static)),
            candidates: [
                ("other", AgreementKey.generate().publicKey),
                ("caller", AgreementPublicKey(rawRepresentation: bytes(vector.resp_remote_static))),
            ]
        )
        let message = bytes(vector.messages[0].ciphertext)
        let match = try trial.match(message, prologue: bytes(vector.resp_prologue))
        #expect(match.id == "caller")
        #expect(match.payload == bytes(vector.messages[0].payload))
    }

    private func initiator(_ vector: PublishedVector) throws -> NoiseHandshake {
        .initiator(
            localStatic: try AgreementKey(rawRepresentation: bytes(vector.init_static)),
            remoteStatic: try AgreementPublicKey(rawRepresentation: bytes(vector.init_remote_static)),
            prologue: bytes(vector.init_prologue),
            ephemeralForTestVectors: try AgreementKey(rawRepresentation: bytes(vector.init_ephemeral))
        )
    }

    private func responder(_ vector: PublishedVector) throws -> NoiseHandshake {
        .responder(
            localStatic: try AgreementKey(rawRepresentation: bytes(vector.resp_static)),
            remoteStatic: try AgreementPublicKey(rawRepresentation: bytes(vector.resp_remote_static)),
            prologue: bytes(vector.resp_prologue),
            ephemeralForTestVectors: try AgreementKey(rawRepresentation: bytes(vector.resp_ephemeral))
        )
    }
}
