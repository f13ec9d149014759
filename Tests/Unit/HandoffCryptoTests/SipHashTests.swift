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
}
