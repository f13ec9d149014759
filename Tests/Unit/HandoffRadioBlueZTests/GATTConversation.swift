import AsyncSupport
import Bluetooth
import DBus

@testable import BlueZ
@testable import HandoffRadioBlueZ

/// Conversations of one channel over GATT: with a listener whose app does nothing, and with callers.
struct GATTConversation {
    typealias Exchange = GATTVectorTests.Exchange
    typealias Frame = GATTVectorTests.Frame

    /// What a caller concludes from an answer, if it does not go on.
    enum Conclusion: String, Codable, Sendable {
        case noSuchChannel, linkIsDropped, tooMuchData, anothersAnswer

        /// What this caller concludes, which takes in the answer to its frame.
        init?(of answer: GATTFrame, to frame: GATTFrame, at caller: inout GATTChannelBuffers) {
            guard answer.isAnswer(to: frame) else {
                self = .anothersAnswer
                return
            }
            if frame.flags.contains(.opening), answer.opening != .accepted {
                self = answer.opening == .refused ? .noSuchChannel : .linkIsDropped
                return
            }
            caller.acceptAnswer(answer)
            guard caller.isOver else { return nil }
            self = answer.flags.contains(.opening) ? .noSuchChannel : .tooMuchData
        }
    }

    private static let channel: UInt32 = 0x0102_0304
    private static let window = UInt16(GATTChannelBuffers.capacity)
    private static let port: UInt8 = 0x93

    private let transport = GATTServerTransport(port: LEPSM(lowFiveBits: 0x13), places: CountingSemaphore(8))
    private let request = GATTRequest(
        options: ["device": Value.objectPath(ObjectPath(trusted: "/org/bluez/hci0/dev_0"))].value
    )

    /// Returns what a listener answers to a device.
    func answer(_ frame: GATTFrame) throws -> GATTFrame {
        try transport.write(frame.bytes, request)
        guard let answer = GATTFrame(try transport.read(request)) else { throw GATTRefusal.invalidLength }
        return answer
    }

    private static func frame(
        _ number: UInt8,
        _ flags: GATTFrame.Flags = [],
        _ data: [UInt8] = [],
        window: UInt16 = window
    ) -> GATTFrame {
        GATTFrame(channel: channel, number: number, flags: flags, window: window, data: data)
    }

    private static let opening = ("opening port 0x93", frame(0, .opening, [port]))

    // MARK: Listeners

    /// Conversations in which the listener refuses a frame, and one in which it might be too strict.
    static func ofListeners() throws -> [(String, [Exchange])] {
        let next = ("the next frame", frame(1, [], [0xAA]))
        let full = (1...8 as ClosedRange<UInt8>).map { number in
            ("500 bytes", frame(number, [], [UInt8](repeating: number, count: GATTFrame.maximumDataLength)))
        }
        let conversations: [(String, [(String, GATTFrame)])] = [
            ("another port", [("opening port 0x92", frame(0, .opening, [0x92])), next]),
            ("no port", [("opening without a port", frame(0, .opening)), next]),
            ("two ports", [("opening with two bytes", frame(0, .opening, [port, port])), next]),
            ("an opening that is not the first frame", [("opening as frame 1", frame(1, .opening, [port]))]),
            ("a channel that was not opened", [("frame 0 without the flag", frame(0, [], [port])), next]),
            (
                "a number that is left out",
                [
                    opening, ("frame 2", frame(2, [], [0xAA])), ("frame 1, which is too late", frame(1, [], [0xAA])),
                    ("frame 3", frame(3)), ("the opening, again", opening.1),
                ]
            ),
            (
                "a second opening",
                [opening, ("frame 1 with the flag", frame(1, .opening, [port])), ("frame 2", frame(2))]
            ),
            (
                "more data than the window allows",
                [opening] + full + [
                    ("97 bytes, where 96 may come", frame(9, [], [UInt8](repeating: 9, count: 97))),
                    ("the frame, repeated", frame(9, [], [UInt8](repeating: 9, count: 97))),
                    ("the next frame", frame(10)),
                ]
            ),
            (
                "as much data as the window allows",
                [opening] + full + [("96 bytes", frame(9, [], [UInt8](repeating: 9, count: 96)))]
            ),
            (
                "frames that are repeated, which is no error",
                [
                    opening, ("the opening, repeated", opening.1), next, ("frame 1, repeated", next.1),
                    ("frame 2", frame(2, [], [0xBB])),
                ]
            ),
            ("a frame after the end", [opening, ("the end", frame(1, .end)), ("frame 2", frame(2, [], [0xAA]))]),
        ]
        return try conversations.map { what, frames in
            let listener = GATTConversation()
            return (
                what,
                try frames.map { what, frame in
                    Exchange(what: what, frame: Frame(frame), answer: Frame(try listener.answer(frame)))
                }
            )
        }
    }

    // MARK: Callers

    /// Conversations whose last answer is another one than the caller waits for.
    static func ofCallers() -> [(String, [Exchange], Conclusion)] {
        func exchange(_ what: String, _ frame: GATTFrame, _ answer: GATTFrame) -> Exchange {
            Exchange(what: what, frame: Frame(frame), answer: Frame(answer))
        }
        let opened = exchange(opening.0, opening.1, frame(0))
        let refusal = GATTFrame(channel: channel, number: 0, flags: .opening)
        let drop = GATTFrame(channel: channel, number: 0, flags: [.opening, .end])
        let others = GATTFrame(channel: channel &+ 1, number: 1, flags: [], window: window)
        var left = window
        let data = (1...8 as ClosedRange<UInt8>).map { number in
            let sent = [UInt8](repeating: number, count: GATTFrame.maximumDataLength)
            defer { left -= UInt16(sent.count) }
            return exchange("500 bytes", frame(number, window: left), frame(number, .more, sent))
        }
        let over = frame(9, [], [UInt8](repeating: 9, count: Int(left) + 1))
        return [
            ("an opening is refused", [exchange(opening.0, opening.1, refusal)], .noSuchChannel),
            ("the link is about to be dropped", [exchange(opening.0, opening.1, drop)], .linkIsDropped),
            (
                "the listener has given the channel up",
                [opened, exchange("frame 1", frame(1), frame(1, .opening, window: 0))], .noSuchChannel
            ),
            (
                "the same with the flag of the end, which counts in the answer to an opening only",
                [opened, exchange("frame 1", frame(1), frame(1, [.opening, .end], window: 0))], .noSuchChannel
            ),
            (
                "an answer with more data than the caller's window",
                [opened] + data + [exchange("97 bytes, where 96 may come", frame(9, window: left), over)], .tooMuchData
            ),
            (
                "the answer to a frame of another channel",
                [opened, exchange("frame 1", frame(1), others)], .anothersAnswer
            ),
            ("the answer to the frame before", [opened, exchange("frame 1", frame(1), frame(0))], .anothersAnswer),
        ]
    }

    // MARK: Both

    /// A caller opens a channel, sends three bytes, receives 600, and ends it; then it asks for a channel that is not
    /// there.
    static func whole() -> [Exchange] {
        var (caller, listener) = (GATTChannelBuffers(), GATTChannelBuffers())
        var exchanges: [Exchange] = []
        func answer(_ frame: GATTFrame, as accepted: GATTFrame? = nil, _ what: String) {
            listener.accept(accepted ?? frame)
            let answer = listener.nextFrame(channel: frame.channel, number: frame.number)
            caller.accept(answer)
            exchanges.append(Exchange(what: what, frame: Frame(frame), answer: Frame(answer)))
        }
        let first = caller.nextFrame(channel: channel, number: 0)
        answer(opening.1, as: GATTFrame(channel: channel, number: 0, flags: [], window: first.window), opening.0)
        _ = caller.send([0xAA, 0xBB, 0xCC])
        _ = listener.send([UInt8](repeating: 0x11, count: 500))
        _ = listener.send([UInt8](repeating: 0x22, count: 100))
        answer(caller.nextFrame(channel: channel, number: 1), "data; the answer is full and has more")
        answer(caller.nextFrame(channel: channel, number: 2), "the rest")
        caller.close()
        answer(caller.nextFrame(channel: channel, number: 3), "the end")
        let refusal = GATTFrame(channel: channel, number: 4, flags: .opening)
        exchanges.append(Exchange(what: "no such channel any more", frame: Frame(frame(4)), answer: Frame(refusal)))
        return exchanges
    }
}
