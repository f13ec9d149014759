import HandoffBrowser
import HandoffTestVectors
import TestLimits
import Testing

@Suite("Messages between a browser and its native host are framed", .endsWithin(minutes: 10))
struct FramingTests {
    /// What is read of a stream in these pieces.
    private static func read(_ pieces: [[UInt8]]) throws -> [[UInt8]] {
        var reader = MessageReader()
        var messages: [[UInt8]] = []
        for piece in pieces {
            reader.append(piece)
            while let message = try reader.next() { messages.append(message) }
        }
        #expect(!reader.hasRest)
        return messages
    }

    @Test("A message is its length in 32 bits of this computer's order, and its bytes")
    func frame() {
        let frame = MessageReader.frame([1, 2, 3])
        let length = frame.withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) }
        #expect(length == 3 && frame.dropFirst(4).elementsEqual([1, 2, 3]))
    }

    @Test("The same messages are read however the stream was split")
    func splits() throws {
        var random = SeededRandom(seed: 16)
        for _ in 0..<50 {
            let messages = (0..<20).map { _ in random.bytes(Int.random(in: 0...300, using: &random)) }
            let stream = messages.flatMap(MessageReader.frame)
            for pieces in [[stream], stream.map { [$0] }, Damage.randomSplit(of: stream, using: &random)] {
                #expect(try Self.read(pieces) == messages)
            }
        }
    }

    @Test("The largest message is read, and one byte more is refused as soon as its length is known")
    func limit() throws {
        let largest = [UInt8](repeating: 7, count: MessageReader.maximumBytes)
        #expect(try Self.read([MessageReader.frame(largest)]) == [largest])
        for length in [Array(MessageReader.frame(largest + [7]).prefix(4)), [255, 255, 255, 255]] {
            var reader = MessageReader()
            reader.append(MessageReader.frame([1]) + length)
            #expect(try reader.next() == [1], "what came before it is read")
            let error = #expect(throws: BrowserError.self) { try reader.next() }
            #expect(error?.code == .messageTooLarge)
        }
    }

    @Test("A message that was cut is not read before its last byte")
    func cut() throws {
        var reader = MessageReader()
        reader.append(MessageReader.frame([1, 2, 3]).dropLast())
        #expect(try reader.next() == nil && reader.hasRest)
        reader.append([3])
        #expect(try reader.next() == [1, 2, 3])
    }

    @Test("A burst of messages is accepted, then as many as time allows, and a flood is refused")
    func rate() throws {
        var rate = MessageRate()
        let start = ContinuousClock.now
        for _ in 0..<Int(MessageRate.burst) { try rate.count(at: start) }
        let error = #expect(throws: BrowserError.self) { try rate.count(at: start) }
        #expect(error?.code == .tooManyMessages)
        let later = start + .seconds(1)
        for _ in 0..<Int(MessageRate.perSecond) { try rate.count(at: later) }
        #expect(throws: BrowserError.self) { try rate.count(at: later) }
        var steady = MessageRate()
        for step in 0..<2000 { try steady.count(at: start + .milliseconds(100 * step)) }
    }
}
