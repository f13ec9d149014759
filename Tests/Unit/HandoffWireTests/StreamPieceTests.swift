import HandoffWire
import TestLimits
import Testing

@Suite("Pieces of a stream", .endsWithin(minutes: 10))
struct StreamPieceTests {
    @Test("A piece is decoded as it was encoded", arguments: [StreamPiece.data([7]), .end, .arrived])
    func roundTrip(_ piece: StreamPiece) throws {
        #expect(try StreamPiece(decoding: piece.encode()) == piece)
    }

    @Test("A piece has the published bytes")
    func published() {
        #expect(StreamPiece.data([0xAA, 0xBB]).encode() == [0, 0xAA, 0xBB])
        #expect(StreamPiece.end.encode() == [1])
        #expect(StreamPiece.arrived.encode() == [2])
    }

    @Test("A piece has at most the published length")
    func longest() throws {
        let longest = StreamPiece.data([UInt8](repeating: 1, count: 8192))
        #expect(try StreamPiece(decoding: longest.encode()) == longest)
        #expect(throws: WireError.self) { try StreamPiece(decoding: longest.encode() + [1]) }
    }

    @Test(
        "A piece without bytes, of another kind, or with too many or too few bytes is refused",
        arguments: [[], [0], [1, 0], [2, 2], [3]]
    )
    func refused(_ bytes: [UInt8]) {
        #expect(throws: WireError.self) { try StreamPiece(decoding: bytes) }
    }
}
