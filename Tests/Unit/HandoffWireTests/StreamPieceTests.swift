import HandoffWire
import TestLimits
import Testing

@Suite("A piece of a stream", .endsWithin(minutes: 10))
struct StreamPieceTests {
    @Test("is read as what was written", arguments: [StreamPiece.data([7]), .end, .arrived])
    func roundTrip(_ piece: StreamPiece) throws {
        #expect(try StreamPiece(decoding: piece.encode()) == piece)
    }

    @Test("has the bytes that are published")
    func published() {
        #expect(StreamPiece.data([0xAA, 0xBB]).encode() == [0, 0xAA, 0xBB])
        #expect(StreamPiece.end.encode() == [1])
        #expect(StreamPiece.arrived.encode() == [2])
    }

    @Test("may be as long as is published, and no longer")
    func longest() throws {
        let longest = StreamPiece.data([UInt8](repeating: 1, count: 8192))
        #expect(try StreamPiece(decoding: longest.encode()) == longest)
        #expect(throws: WireError.self) { try StreamPiece(decoding: longest.encode() + [1]) }
    }

    @Test(
        "of no bytes, of another kind, or with too many or too few, is refused",
        arguments: [[], [0], [1, 0], [2, 2], [3]]
    )
    func refused(_ bytes: [UInt8]) {
        #expect(throws: WireError.self) { try StreamPiece(decoding: bytes) }
    }
}
