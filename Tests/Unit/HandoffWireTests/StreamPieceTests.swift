import HandoffWire
import TestLimits
import Testing

@Suite("Pieces of a stream", .endsWithin(minutes: 10))
struct StreamPieceTests {
    @Test("A piece is decoded as it was encoded", arguments: [StreamPiece.data([7]), .end, .arrived, .alive, .taken])
    func roundTrip(_ piece: StreamPiece) throws {
        #expect(try StreamPiece(decoding: piece.encode()) == piece)
    }

    @Test("A piece has the published bytes")
    func published() {
        func padded(_ bytes: [UInt8]) -> [UInt8] { bytes + [UInt8](repeating: 0, count: 64 - bytes.count) }
        #expect(StreamPiece.data([0xAA, 0xBB]).encode() == padded([0, 0, 2, 0xAA, 0xBB]))
        #expect(StreamPiece.end.encode() == padded([1]))
        #expect(StreamPiece.arrived.encode() == padded([2]))
        #expect(StreamPiece.taken.encode() == padded([6]))
    }

    @Test("A piece is padded to a multiple of 64 bytes", arguments: [(1, 64), (61, 64), (62, 128), (8192, 8256)])
    func padded(count: Int, size: Int) throws {
        let piece = StreamPiece.data([UInt8](repeating: 0, count: count))
        #expect(piece.encode().count == size)
        #expect(try StreamPiece(decoding: piece.encode()) == piece)
    }

    @Test("A piece with padding other than zeros, or more of it than needed, is refused")
    func padding() {
        var damaged = StreamPiece.data([1]).encode()
        damaged[63] = 1
        #expect(throws: WireError.self) { try StreamPiece(decoding: damaged) }
        let longer = StreamPiece.data([1]).encode() + [UInt8](repeating: 0, count: 64)
        #expect(throws: WireError.self) { try StreamPiece(decoding: longer) }
    }

    @Test("A piece has at most the published length")
    func longest() throws {
        let longest = StreamPiece.data([UInt8](repeating: 1, count: 8192))
        #expect(longest.encode().count == StreamPiece.maximumBytes)
        #expect(StreamPiece.maximumNetworkDataBytes == 65_469)
        let network = StreamPiece.data([UInt8](repeating: 1, count: StreamPiece.maximumNetworkDataBytes))
        for piece in [longest, network] {
            #expect(try StreamPiece(decoding: piece.encode()) == piece)
            #expect(throws: WireError.self) { try StreamPiece(decoding: piece.encode() + [1]) }
        }
        #expect(network.encode().count == StreamPiece.maximumNetworkBytes)
        let header: [UInt8] = [0, 0xFF, 0xBE]
        #expect(throws: WireError.self) {
            try StreamPiece(decoding: header + [UInt8](repeating: 0, count: StreamPiece.maximumNetworkBytes + 61))
        }
    }

    @Test(
        "A piece without bytes, of another kind, or with too many or too few bytes is refused",
        arguments: [
            [], [0], [1, 0], [2, 2], [3], [0, 0, 0], [1, 0, 1], [2, 0, 1], [3, 0, 0], [0, 0, 62],
            [4, 0, 0], [4, 0, 15], [5, 0, 1], [6, 0, 1], [7, 0, 0],
        ]
    )
    func refused(_ bytes: [UInt8]) {
        #expect(throws: WireError.self) { try StreamPiece(decoding: bytes) }
        let padded = bytes + [UInt8](repeating: 0, count: 64 - bytes.count)
        if bytes.count > 2 { #expect(throws: WireError.self) { try StreamPiece(decoding: padded) } }
    }
}
