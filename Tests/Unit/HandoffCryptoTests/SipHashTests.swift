import HandoffTestVectors
import TestLimits
import Testing

@testable import HandoffCrypto

@Suite("SipHash-2-4", .endsWithin(minutes: 10))
struct SipHashTests {
    /// The first eight of the designers' vectors (github.com/veorq/SipHash, vectors.h): key 00…0f, input 00, 01, ….
    @Test(
        "Short inputs agree with the designers' vectors",
        arguments: [
            "310e0edd47db6f72", "fd67dc93c539f874", "5a4fa9d909806c0d", "2d7efbd796666785",
            "b7877127e09427cf", "8da699cd64557618", "cee3fe586e46c9cb", "37d1018bf50002ab",
        ].enumerated().map { ($0.offset, $0.element) }
    )
    func vectors(count: Int, expected: String) {
        let function = SipHash(key: (0..<16).map { UInt8($0) })
        let input = UInt64(littleEndianBytes: (0..<count).map { UInt8($0) })
        #expect(hex(function(input, count: UInt64(count)).littleEndianBytes(8)) == expected)
    }

    @Test("Two functions that are computed at once have the outputs that they have one by one")
    func pairs() {
        var random = SeededRandom(seed: 3)
        for _ in 0..<200 {
            let functions = (0..<2).map { _ in SipHash(key: random.bytes(SipHash.keyBytes)) }
            let inputs = (0..<2).map { _ in UInt64.random(in: 0..<1 << 40, using: &random) }
            let both = SipHashPair(functions[0], functions[1])(SIMD2(inputs[0], inputs[1]), count: 5)
            #expect([both[0], both[1]] == zip(functions, inputs).map { $0($1, count: 5) })
        }
    }

    @Test(
        "Of two keys that are tried at once, the one that opens an advertisement is found, and no other",
        arguments: 0...2
    )
    func pairOfKeys(sealing: Int) {
        var random = SeededRandom(seed: UInt64(sealing))
        for _ in 0..<50 {
            let keys = (0..<3).map { _ in
                SlotKeys(authentication: random.bytes(16), encryption: random.bytes(16))
            }
            let plaintext = UInt64.random(in: 0...SlotKeys.plaintextMask, using: &random)
            let tag = keys[sealing].tag(of: plaintext)
            let ciphertext = plaintext ^ keys[sealing].pad(for: tag)
            let opened = SlotKeysPair(keys[0], keys[1]).open(tag: tag, ciphertext: ciphertext)
            #expect(opened?.index == (sealing < 2 ? sealing : nil))
            #expect(opened?.plaintext == (sealing < 2 ? plaintext : nil))
            #expect(SlotKeysPair(keys[sealing], keys[sealing]).open(tag: tag, ciphertext: ciphertext)?.index == 0)
        }
    }
}
