import HandoffCore
import TestLimits
import TestRuns
import Testing

@testable import HandoffDaemon

@Suite("The events of a pairing request", .endsWithin(minutes: 10))
struct PairingEventQueueTests {
    private static let channels = PairingMachine.maximumChannels
    private static let messages = 300

    private static func word(_ event: PairingMachine.Event) -> String {
        switch event {
        case .received(let channel, let bytes): "\(channel.rawValue) \(bytes.count)"
        case .tick: "tick"
        case .cancelled: "cancelled"
        default: "other"
        }
    }

    @Test("Channels that send without end push out no other event, and delay it by a few messages of each at most")
    func flood() async throws {
        let queue = PairingEventQueue()
        let places = (0..<Self.channels).map { _ in PairingEventQueue.Places() }
        let (full, isFull) = AsyncStream<Void>.makeStream()
        let handled = try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, places) in places.enumerated() {
                group.addTask {
                    let channel = PairingMachine.ChannelID(rawValue: UInt64(number))
                    for count in 0..<Self.messages {
                        try await queue.report(.received(channel, [UInt8](repeating: 0, count: count)), in: places)
                        if count + 1 == PairingEventQueue.messagesPerChannel { isFull.yield() }
                    }
                }
            }
            // Nobody handles an event until every channel has filled its places.
            await awaiting("channels that have filled their places") {
                for await _ in full.prefix(Self.channels) {}
            }
            #expect(places.allSatisfy { $0.free == 0 })
            queue.report(.tick)
            queue.report(.cancelled)
            var handled: [String] = []
            let all = Self.channels * Self.messages + 2
            await queue.run { event in
                handled.append(Self.word(event))
                return handled.count < all
            }
            try await group.waitForAll()
            return handled
        }
        let before = Self.channels * PairingEventQueue.messagesPerChannel
        #expect(Array(handled[before..<(before + 2)]) == ["tick", "cancelled"])
        // Nothing is lost, and the messages of a channel keep their order.
        for number in 0..<Self.channels {
            let own = handled.filter { $0.hasPrefix("\(number) ") }
            #expect(own == (0..<Self.messages).map { "\(number) \($0)" })
        }
    }

    @Test("A channel whose messages are not handled ends when its task is cancelled")
    func cancelled() async throws {
        let queue = PairingEventQueue()
        let places = PairingEventQueue.Places()
        for _ in 0..<PairingEventQueue.messagesPerChannel { try await queue.report(.tick, in: places) }
        await #expect(throws: CancellationError.self) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await queue.report(.tick, in: places) }
                group.cancelAll()
                try await group.waitForAll()
            }
        }
    }
}
