import HandoffCrypto
import HandoffTestVectors
import TestLimits
import Testing

@Suite("Two devices have keys of their own for directed advertisements", .endsWithin(minutes: 10))
struct DirectedAdvertisingKeysTests {
    /// The two keys of a pair of devices, on the side of the one that advertises; in hexadecimal.
    struct Case: Codable, Equatable, Sendable {
        let privateKey: String
        let otherPrivateKey: String
        let sendingKey: String
        let receivingKey: String
    }

    @Test("The sending key of one device is the receiving key of the other, and each direction has its own")
    func agreement() throws {
        let (desk, lap, tab) = (AgreementKey.generate(), AgreementKey.generate(), AgreementKey.generate())
        let atDesk = try DirectedAdvertisingKeys(local: desk, remote: lap.publicKey)
        let atLap = try DirectedAdvertisingKeys(local: lap, remote: desk.publicKey)
        let others = try DirectedAdvertisingKeys(local: desk, remote: tab.publicKey)
        #expect(atDesk.sending == atLap.receiving)
        #expect(atDesk.receiving == atLap.sending)
        #expect(Set([atDesk.sending, atDesk.receiving, others.sending, others.receiving]).count == 4)
    }

    @Test("A key that protects nothing is refused")
    func weak() throws {
        let zero = try AgreementPublicKey(rawRepresentation: [UInt8](repeating: 0, count: 32))
        #expect { try DirectedAdvertisingKeys(local: .generate(), remote: zero) } throws: {
            ($0 as? CryptoError)?.code == .weakKey
        }
    }

    private static func make() throws -> [Case] {
        var random = SeededRandom(seed: 11)
        return try (0..<3).map { _ in
            let (own, other) = (random.bytes(32), random.bytes(32))
            let remote = try AgreementKey(rawRepresentation: other).publicKey
            let keys = try DirectedAdvertisingKeys(local: AgreementKey(rawRepresentation: own), remote: remote)
            return Case(
                privateKey: hex(own),
                otherPrivateKey: hex(other),
                sendingKey: hex(keys.sending.rawRepresentation),
                receivingKey: hex(keys.receiving.rawRepresentation)
            )
        }
    }

    @Test("The published vectors are what this code generates")
    func published() throws {
        let file = VectorFile(
            about: """
                News keys (Docs/Protocol.md, "The circle"): of two devices' private keys the ones under which the first \
                advertises to the second alone, and the other way round. All in hexadecimal.
                """,
            cases: try Self.make()
        )
        try file.storeIfAsked("news")
        #expect(try VectorFile<Case>.load("news") == file)
    }
}
