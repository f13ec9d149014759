import Bluetooth
import HandoffTestVectors
import TestLimits
import Testing

@testable import HandoffRadioBlueZ

@Suite("GATT vectors", .endsWithin(minutes: 10))
struct GATTVectorTests {
    /// Values of the frame characteristic, in hexadecimal.
    struct Case: Codable, Equatable, Sendable {
        let what: String
        var exchanges: [Exchange] = []
        /// Values that are not frames.
        var invalid: [String] = []
        /// What the caller concludes from the last answer.
        var conclusion: GATTConversation.Conclusion?
    }

    /// A frame that the caller writes, and the answer that it reads.
    struct Exchange: Codable, Equatable, Sendable {
        let what: String
        let frame: Frame
        let answer: Frame
    }

    struct Frame: Codable, Equatable, Sendable {
        let bytes: String
        let channel: UInt32
        let number: UInt8
        let isOpening: Bool
        let isEnd: Bool
        let hasMore: Bool
        let window: UInt16
        let data: String

        init(_ frame: GATTFrame) {
            bytes = hex(frame.bytes)
            channel = frame.channel
            number = frame.number
            isOpening = frame.flags.contains(.opening)
            isEnd = frame.flags.contains(.end)
            hasMore = frame.flags.contains(.more)
            window = frame.window
            data = hex(frame.data)
        }
    }

    private static let invalid: [[UInt8]] = [
        [], [1, 2, 3, 4, 0, 0, 0], [1, 2, 3, 4, 0, 8, 0, 0], [1, 2, 3, 4, 0, 0x80, 0, 0],
        [UInt8](repeating: 0, count: 509),
    ]

    @Test("The published vectors are what this code generates")
    func published() throws {
        let file = VectorFile(
            about: """
                Frames of channels over GATT (Docs/Protocol.md, "Channels over GATT"): conversations of one channel at \
                the port 0x93, frame by frame with its answers, and values that are not frames. An answer that is \
                `isOpening` refuses its frame. Where there is a `conclusion`, the last answer tells the caller that \
                there is no such channel (`noSuchChannel`), that it has to wait for the end of the link \
                (`linkIsDropped`), or to write its frame again (`anothersAnswer`), or breaks the rule of windows, \
                which ends the channel (`tooMuchData`). Bytes are hexadecimal.
                """,
            cases: try [Case(what: "a conversation", exchanges: GATTConversation.whole())]
                + GATTConversation.ofListeners().map { Case(what: $0, exchanges: $1) }
                + GATTConversation.ofCallers().map { Case(what: $0, exchanges: $1, conclusion: $2) }
                + [Case(what: "values that are not frames", invalid: Self.invalid.map { hex($0) })]
        )
        try file.storeIfAsked("gatt")
        #expect(try VectorFile<Case>.load("gatt") == file)
    }

    @Test("The published frames are read, and the other values are not")
    func read() throws {
        for vector in try VectorFile<Case>.load("gatt").cases {
            for frame in vector.exchanges.flatMap({ [$0.frame, $0.answer] }) {
                #expect(GATTFrame(bytes(frame.bytes)).map(Frame.init) == frame)
            }
            for value in vector.invalid { #expect(GATTFrame(bytes(value)) == nil) }
        }
    }

    @Test("A listener refuses the published frames that it is to refuse, and no others")
    func listener() throws {
        for vector in try VectorFile<Case>.load("gatt").cases where vector.conclusion == nil {
            let listener = GATTConversation()
            // What the listener's app does is in the first vector only.
            let isWhole = vector.what == "a conversation"
            for exchange in vector.exchanges {
                let frame = try #require(GATTFrame(bytes(exchange.frame.bytes)))
                let answer = try listener.answer(frame)
                let isRefused = answer.flags.contains(.opening)
                #expect(isRefused == exchange.answer.isOpening, "\(vector.what): \(exchange.what)")
                #expect(isWhole || Frame(answer) == exchange.answer, "\(vector.what): \(exchange.what)")
            }
        }
    }

    @Test("A caller concludes from the published answers what it is to conclude, and nothing before")
    func caller() throws {
        for vector in try VectorFile<Case>.load("gatt").cases {
            guard let conclusion = vector.conclusion else { continue }
            var caller = GATTChannelBuffers()
            for (number, exchange) in vector.exchanges.enumerated() {
                let frame = try #require(GATTFrame(bytes(exchange.frame.bytes)))
                let answer = try #require(GATTFrame(bytes(exchange.answer.bytes)))
                let own = caller.nextFrame(channel: frame.channel, number: frame.number)
                #expect(own.window == frame.window)
                let isLast = number == vector.exchanges.count - 1
                let found = GATTConversation.Conclusion(of: answer, to: frame, at: &caller)
                #expect(found == (isLast ? conclusion : nil), "\(vector.what): \(exchange.what)")
            }
        }
    }
}
