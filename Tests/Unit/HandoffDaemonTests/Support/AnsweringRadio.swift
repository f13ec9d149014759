import AsyncSupport
import Bluetooth
import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffRadio
import HandoffWire
import Synchronization

/// A radio over which one device answers every request with the same answer.
struct AnsweringRadio: DialOnlyRadio {
    /// The caller's end of a channel to that device.
    final class Channel: RadioChannel {
        let peer = RadioAddress("C0:00:00:00:00:01/random")
        let maximumMessageLength = 100_000

        private let session: Mutex<ServerSession>
        private let answer: Answer
        private let acknowledged: CurrentValue<Bool>
        private let isAnswered = Mutex(false)
        private let outgoing: AsyncStream<[UInt8]>
        private let newOutgoing: AsyncStream<[UInt8]>.Continuation

        init(_ session: ServerSession, _ answer: Answer, _ acknowledged: CurrentValue<Bool>) {
            (outgoing, newOutgoing) = AsyncStream.makeStream()
            newOutgoing.yield(session.greeting)
            self.session = Mutex(session)
            self.answer = answer
            self.acknowledged = acknowledged
        }

        func send(_ message: [UInt8]) async throws(RadioError) {
            do {
                let reply = try session.withLock { session -> [UInt8]? in
                    if isAnswered.withLock(\.self) {
                        if try session.acknowledge(message) { acknowledged.set(true) }
                        return nil
                    }
                    guard try session.receiveRequest(message) != nil else { return nil }
                    isAnswered.withLock { $0 = true }
                    return try session.answer(answer)
                }
                if let reply { newOutgoing.yield(reply) } else { newOutgoing.finish() }
            } catch {
                throw RadioError(.channelClosed, "\(error)")
            }
        }

        func receive() async throws(RadioError) -> [UInt8]? {
            for await message in outgoing { return message }
            return nil
        }
    }

    let trial: SessionTrial
    let answer: Answer
    /// Whether an answer was acknowledged.
    let acknowledged = CurrentValue(false)

    func withChannel<Success: Sendable>(
        to address: RadioAddress,
        port: LEPSM,
        timeout: Duration,
        _ body: (Channel) async throws -> Success
    ) async throws -> Success {
        try await body(Channel(ServerSession(trial: trial), answer, acknowledged))
    }
}
