import HandoffTestVectors
import HandoffWire
import TestLimits
import Testing

@Suite("Frames", .endsWithin(minutes: 10))
struct FrameTests {
    @Test("A frame is its length in two bytes, highest first, and its body", arguments: [1, 255, 256, 65_535])
    func encoding(count: Int) {
        let frame = FrameCodec.encode([UInt8](repeating: 9, count: count))
        #expect(Array(frame.prefix(2)) == [UInt8(count / 256), UInt8(count % 256)])
        #expect(frame.dropFirst(2).elementsEqual(repeatElement(9, count: count)))
    }

    @Test("The same frames are decoded however the stream was split")
    func splits() throws {
        var random = SeededRandom(seed: 4)
        for _ in 0..<50 {
            let bodies = (0..<20).map { _ in random.bytes(Int.random(in: 1...300, using: &random)) }
            let stream = bodies.flatMap(FrameCodec.encode)
            #expect(try decode([stream]) == bodies)
            #expect(try decode(stream.map { [$0] }) == bodies)
            #expect(try decode(Damage.randomSplit(of: stream, using: &random)) == bodies)
        }
    }

    @Test("A frame is decoded with its last byte and not before")
    func completeness() throws {
        var decoder = FrameDecoder(maximumLength: 10)
        for byte in [0, 3, 1, 2] as [UInt8] {
            try decoder.append([byte])
            #expect(try decoder.next() == nil)
        }
        try decoder.append([3])
        #expect(try decoder.next() == [1, 2, 3])
        #expect(try decoder.next() == nil)
        #expect(decoder.bufferedBytes == 0)
    }

    @Test("A length above the maximum is refused as soon as it is known, and so is all that follows")
    func tooLong() throws {
        var decoder = FrameDecoder(maximumLength: 10)
        try decoder.append(FrameCodec.encode([1]) + [0, 11])
        #expect(try decoder.next() == [1])
        let error = #expect(throws: WireError.self) { try decoder.next() }
        #expect(error?.code == .longFrame)
        #expect(throws: try #require(error)) { try decoder.append([0]) }
        #expect(throws: try #require(error)) { try decoder.next() }
        #expect(decoder.bufferedBytes == 0)
    }

    @Test("An empty frame is refused")
    func empty() throws {
        var decoder = FrameDecoder(maximumLength: 10)
        try decoder.append([0, 0])
        let error = #expect(throws: WireError.self) { try decoder.next() }
        #expect(error?.code == .emptyFrame)
    }

    @Test("No more than one frame and one SDU is buffered")
    func boundedMemory() throws {
        var decoder = FrameDecoder(maximumLength: 1000)
        try decoder.append([UInt8](repeating: 1, count: 65_535))
        let error = #expect(throws: WireError.self) { try decoder.append([UInt8](repeating: 1, count: 1003)) }
        #expect(error?.code == .tooLarge)
    }

    @Test("With longer reads, one frame and one read are buffered and no more")
    func longReads() throws {
        var decoder = FrameDecoder(maximumLength: 1000, readBytes: 200_000)
        try decoder.append([UInt8](repeating: 1, count: 200_000))
        try decoder.append([UInt8](repeating: 1, count: 1002))
        #expect(decoder.bufferedBytes == 201_002)
        let error = #expect(throws: WireError.self) { try decoder.append([1]) }
        #expect(error?.code == .tooLarge)
    }

    @Test("A body is the same with and without a copy, also after the bytes of another read")
    func slices() throws {
        var (copying, slicing) = (FrameDecoder(maximumLength: 10), FrameDecoder(maximumLength: 10))
        for part in [[0, 1, 7, 0, 2, 8], [9, 0, 1], [5]] as [[UInt8]] {
            try copying.append(part)
            try slicing.append(part)
            while let body = try copying.next() { #expect(try slicing.nextSlice().map(Array.init) == body) }
            #expect(try slicing.nextSlice() == nil)
        }
        #expect(slicing.bufferedBytes == 0)
    }

    /// Feeds pieces one after the other, and takes out the complete frames after each.
    private func decode(_ pieces: [[UInt8]]) throws(WireError) -> [[UInt8]] {
        var decoder = FrameDecoder(maximumLength: 300)
        var bodies: [[UInt8]] = []
        for piece in pieces {
            try decoder.append(piece)
            while let body = try decoder.next() { bodies.append(body) }
        }
        return bodies
    }
}
