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

    private static let channel: UInt32 = 0x0102_0304

    /// A caller opens a channel, sends three bytes, receives 600, and ends it; then it asks for a channel that is not
    /// there.
    private static func conversation() -> [Exchange] {
        var (caller, listener) = (GATTChannelBuffers(), GATTChannelBuffers())
        var exchanges: [Exchange] = []
        func answer(_ frame: GATTFrame, as accepted: GATTFrame? = nil, _ what: String) {
            listener.accept(accepted ?? frame)
            let answer = listener.nextFrame(channel: frame.channel, number: frame.number)
            caller.accept(answer)
            exchanges.append(Exchange(what: what, frame: Frame(frame), answer: Frame(answer)))
        }
        let first = caller.nextFrame(channel: channel, number: 0)
        let opening = GATTFrame(channel: channel, number: 0, flags: .opening, window: first.window, data: [0x93])
        answer(
            opening,
            as: GATTFrame(channel: channel, number: 0, flags: [], window: first.window),
            "opening port 0x93"
        )
        _ = caller.send([0xAA, 0xBB, 0xCC])
        _ = listener.send([UInt8](repeating: 0x11, count: 500))
        _ = listener.send([UInt8](repeating: 0x22, count: 100))
        answer(caller.nextFrame(channel: channel, number: 1), "data; the answer is full and has more")
        answer(caller.nextFrame(channel: channel, number: 2), "the rest")
        caller.close()
        answer(caller.nextFrame(channel: channel, number: 3), "the end")
        let late = GATTFrame(channel: channel, number: 4, flags: [], window: 4096)
        let refusal = GATTFrame(channel: channel, number: 4, flags: .opening)
        exchanges.append(Exchange(what: "no such channel any more", frame: Frame(late), answer: Frame(refusal)))
        return exchanges
    }

    private static let invalid: [[UInt8]] = [
        [], [1, 2, 3, 4, 0, 0, 0], [1, 2, 3, 4, 0, 8, 0, 0], [1, 2, 3, 4, 0, 0x80, 0, 0],
        [UInt8](repeating: 0, count: 509),
    ]

    @Test("The published vectors are what this code generates")
    func published() throws {
        let file = VectorFile(
            about: """
                Frames of channels over GATT (Docs/Protocol.md, "Channels over GATT"): a whole conversation of a \
                channel, frame by frame with its answers, and values that are not frames. Bytes are hexadecimal.
                """,
            cases: [
                Case(what: "a conversation", exchanges: Self.conversation()),
                Case(what: "values that are not frames", invalid: Self.invalid.map { hex($0) }),
            ]
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
}
