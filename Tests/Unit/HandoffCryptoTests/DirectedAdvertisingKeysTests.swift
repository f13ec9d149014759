import HandoffCrypto
import HandoffTestVectors
import TestLimits
import Testing

@Suite("Two devices have keys of their own for directed advertisements", .endsWithin(minutes: 10))
struct DirectedAdvertisingKeysTests {
    /// The keys of a pair of devices for a day, on the side of the one that advertises; all but the day in hexadecimal.
    struct Case: Codable, Equatable, Sendable {
        let privateKey: String
        let otherPrivateKey: String
        let day: UInt32
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

    @Test("Each day has a key of its own, and every day can be opened")
    func pairedKey() throws {
        let (desk, lap) = (AgreementKey.generate(), AgreementKey.generate())
        let sending = try DirectedAdvertisingKeys(local: desk, remote: lap.publicKey).sending
        guard case .paired(let source) = sending else {
            Issue.record("not derived from the key pairs")
            return
        }
        #expect(Set((0..<50).map { source.key(of: $0) }).count == 50)
        var opener = AdvertisementOpener(
            keys: [("desk", try DirectedAdvertisingKeys(local: lap, remote: desk.publicKey).receiving)]
        )
        for slot in [5, 20_000 * 96 - 1, 20_000 * 96, 96] as [UInt64] {
            for sealedIn in (slot - 1)...(slot + 1) {
                let sealed = try #require(AdvertisementSealer(key: sending, slot: sealedIn)).seal([1, 2, 3, 4, 5, 6])
                #expect(opener.open(sealed, slot: slot)?.id == "desk")
            }
        }
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
            let (local, remote) = try (
                AgreementKey(rawRepresentation: own), AgreementKey(rawRepresentation: other).publicKey
            )
            let day = UInt32.random(in: 20_000..<30_000, using: &random)
            let keys = try DirectedAdvertisingKeys(local: local, remote: remote)
            return Case(
                privateKey: hex(own),
                otherPrivateKey: hex(other),
                day: day,
                sendingKey: try text(keys.sending, day),
                receivingKey: try text(keys.receiving, day)
            )
        }
    }

    /// The key of a day in hexadecimal.
    private static func text(_ key: SealingKey, _ day: UInt32) throws -> String {
        switch key {
        case .daily(let key): hex(try #require(key.advanced(to: day)).key.rawRepresentation)
        case .paired(let key): hex(key.key(of: day).rawRepresentation)
        case .constant(let key): hex(key.rawRepresentation)
        }
    }

    @Test("The published vectors are what this code generates")
    func published() throws {
        let file = VectorFile(
            about: """
                Directed advertising keys (Docs/Protocol.md, "Directed advertisements") of a day that follow from two \
                devices' key pairs: the one under which the first advertises to the second alone, and the one of the \
                other direction. Bytes are hexadecimal.
                """,
            cases: try Self.make()
        )
        try file.storeIfAsked("news")
        #expect(try VectorFile<Case>.load("news") == file)
    }
}
