import HandoffTestVectors
import HandoffWire
import TestLimits
import Testing

@Suite("Padding of messages", .endsWithin(minutes: 10))
struct MessagePaddingTests {
    private static let lengths = [0, 1, 59, 60, 61, 1019, 1020, 1021, 2044, 2045, 4093, 16_381, 65_595, 65_596]

    @Test("A message is read as it was padded, and has one of the published sizes", arguments: lengths)
    func roundTrip(count: Int) throws {
        var random = SeededRandom(seed: 25)
        // A message that ends in zeros cannot be confused with its padding.
        for message in [random.bytes(count), [UInt8](repeating: 0, count: count)] {
            let padded = MessagePadding.pad(message)
            #expect(padded.count == MessagePadding.size(of: count))
            #expect(try MessagePadding.unpad(padded) == message)
        }
    }

    @Test("The sizes are the published ones, and the smallest that fits is taken")
    func sizes() {
        #expect(MessagePadding.sizes == [64, 1024, 2048, 4096, 16_384, 65_600, 262_144, 1_048_576, 2_097_152])
        #expect(MessagePadding.size(of: 60) == 64)
        #expect(MessagePadding.size(of: 61) == 1024)
        #expect(MessagePadding.size(of: 0, atLeast: 1024) == 1024)
        #expect(MessagePadding.size(of: 1021, atLeast: 1024) == 2048)
        #expect(MessagePadding.maximumMessageBytes == 2_097_148)
        for longest in [Answer.maximumBytes, Acknowledgement.maximumCircleBytes, Request.maximumBytes] {
            #expect(longest <= MessagePadding.maximumMessageBytes)
        }
    }

    @Test("A padded message has the published bytes")
    func published() {
        let padded = MessagePadding.pad([0xAA, 0xBB])
        #expect(padded == [0, 0, 0, 2, 0xAA, 0xBB] + [UInt8](repeating: 0, count: 58))
    }

    @Test("Padding with another byte than zero is refused, wherever it stands")
    func nonzero() throws {
        let padded = MessagePadding.pad([7, 8, 9])
        for index in 7..<padded.count {
            var damaged = padded
            damaged[index] = 1
            let error = #expect(throws: WireError.self) { try MessagePadding.unpad(damaged) }
            #expect(error?.code == .invalidPadding)
        }
    }

    @Test("A size that is none of the published, and a length beyond it, is refused")
    func refused() {
        for count in [0, 1, 3, 4, 63, 65, 256, 1025, 65_599, 66_000] {
            #expect(throws: WireError.self) { try MessagePadding.unpad([UInt8](repeating: 0, count: count)) }
        }
        for length in [[0, 0, 0, 61], [0, 0, 1, 0], [0xFF, 0xFF, 0xFF, 0xFF]] as [[UInt8]] {
            let padded = length + [UInt8](repeating: 0, count: 60)
            #expect(throws: WireError.self) { try MessagePadding.unpad(padded) }
        }
    }

    @Test("More padding than needed is accepted: only the sender knows which messages are to look alike")
    func larger() throws {
        #expect(try MessagePadding.unpad(MessagePadding.pad([1], toAtLeast: 4096)) == [1])
    }
}
