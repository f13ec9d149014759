import HandoffTestVectors
import TestLimits
import Testing

@testable import HandoffCrypto

@Suite("Cipher vectors", .endsWithin(minutes: 10))
struct CipherVectorTests {
    /// Messages under one key, the first of which has a number; bytes in hexadecimal.
    struct Case: Codable, Equatable, Sendable {
        let what: String
        let key: String
        let firstNumber: UInt64
        let plaintexts: [String]
        let messages: [String]
    }

    private static func make(_ what: String, first: UInt64) throws -> Case {
        let key = (0..<32).map { UInt8($0) }
        let plaintexts: [[UInt8]] = [[], [1], [2, 3], [UInt8](repeating: 4, count: 100)]
        var cipher = NoiseCipherState(.aesGCM, key: key, nonce: first)
        return Case(
            what: what,
            key: hex(key),
            firstNumber: first,
            plaintexts: plaintexts.map { hex($0) },
            messages: try plaintexts.map { hex(try cipher.encrypt($0, authenticating: [])) }
        )
    }

    @Test("The published vectors are what this code generates, and reads")
    func published() throws {
        let file = VectorFile(
            about: """
                AES over the local network (Docs/Protocol.md, "Over the local network"): consecutive messages under one key, \
                from the one with the number `firstNumber` on. After the number 1048575 follows another key. Bytes are \
                hexadecimal.
                """,
            cases: [
                try Self.make("the first messages of a connection", first: 0),
                try Self.make("messages before and after the first change of the key", first: (1 << 20) - 2),
            ]
        )
        try file.storeIfAsked("cipher")
        let stored = try VectorFile<Case>.load("cipher")
        #expect(stored == file)
        for vector in stored.cases {
            var cipher = NoiseCipherState(.aesGCM, key: Array(bytes(vector.key)), nonce: vector.firstNumber)
            for (plaintext, message) in zip(vector.plaintexts, vector.messages) {
                #expect(hex(try cipher.decrypt(Array(bytes(message)), authenticating: [])) == plaintext)
            }
        }
    }
}
