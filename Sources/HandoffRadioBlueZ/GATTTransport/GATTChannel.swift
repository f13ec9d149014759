import HandoffRadio
import Synchronization

/// One end of a channel through a mailbox, between who uses it and who carries its letters.
///
/// As `RadioChannel` says, at most one task sends and one receives at a time; cancelling either closes the channel.
package final class GATTChannel: Sendable {
    private enum Direction { case sending, receiving }

    private struct State {
        var buffers = GATTChannelBuffers()
        /// Counts the changes, so that none is missed between a try and the wait for the next.
        var changes: UInt64 = 0
        var waiting: [Direction: CheckedContinuation<Void, Never>] = [:]
    }

    private let state = Mutex(State())
    private let notify: @Sendable () -> Void

    /// - Parameter notify: called, from any thread, when the other side should be told something.
    init(notify: @escaping @Sendable () -> Void) {
        self.notify = notify
    }

    /// Sends one message, waiting while the other side is slow.
    func send(_ message: [UInt8]) async throws(RadioError) {
        let limit = GATTFrame.maximumDataLength
        guard (1...limit).contains(message.count) else {
            throw RadioError(.messageTooLong, "a message on this channel has 1 to \(limit) bytes, not \(message.count)")
        }
        try await whenPossible(.sending) { $0.send(message) }
    }

    /// The next bytes, or nil when the other side has ended.
    func receive() async throws(RadioError) -> [UInt8]? {
        try await whenPossible(.receiving) { $0.receive() }
    }

    /// Ends this side.
    func close() {
        change { $0.close() }
    }

    /// Ends both sides without a word.
    func fail(_ error: RadioError) {
        change { $0.fail(error) }
    }

    /// Whether nothing goes or comes any more.
    var isOver: Bool { state.withLock(\.buffers.isOver) }

    /// Whether the next letter would tell the other side something.
    var hasPendingData: Bool { state.withLock(\.buffers.hasPendingData) }

    /// The next letter of a caller.
    func nextFrame(channel: UInt32, number: UInt8) -> GATTFrame {
        change { $0.nextFrame(channel: channel, number: number) }
    }

    /// Takes in the answer to it.
    func accept(_ answer: GATTFrame) {
        change { $0.accept(answer) }
    }

    /// Takes in a letter and answers it.
    func answer(_ frame: GATTFrame) -> GATTFrame {
        change { buffers in
            buffers.accept(frame)
            return buffers.nextFrame(channel: frame.channel, number: frame.number)
        }
    }

    private func change<Answer: Sendable>(_ body: (inout GATTChannelBuffers) -> Answer) -> Answer {
        let (answer, woken, notifies) = state.withLock { state in
            let answer = body(&state.buffers)
            return (answer, Self.changed(&state), state.buffers.shouldNotify())
        }
        for continuation in woken { continuation.resume() }
        if notifies { notify() }
        return answer
    }

    private static func changed(_ state: inout State) -> [CheckedContinuation<Void, Never>] {
        state.changes += 1
        defer { state.waiting = [:] }
        return Array(state.waiting.values)
    }

    /// Tries until there is an outcome, after each change.
    private func whenPossible<Success: Sendable>(
        _ direction: Direction,
        _ attempt: @Sendable (inout GATTChannelBuffers) -> Result<Success, RadioError>?
    ) async throws(RadioError) -> Success {
        let outcome: Result<Success, RadioError> = await withTaskCancellationHandler {
            while true {
                let (result, changes) = tried(attempt)
                if let result { return result }
                await nextChange(after: changes, direction)
            }
        } onCancel: {
            close()
        }
        return try outcome.get()
    }

    /// An attempt that has no outcome changes nothing, and wakes nobody.
    private func tried<Success: Sendable>(
        _ attempt: (inout GATTChannelBuffers) -> Result<Success, RadioError>?
    ) -> (Result<Success, RadioError>?, UInt64) {
        let (result, changes, woken, notifies) = state.withLock { state in
            guard let result = attempt(&state.buffers) else {
                return (Result<Success, RadioError>?.none, state.changes, [CheckedContinuation<Void, Never>](), false)
            }
            let woken = Self.changed(&state)
            return (result, state.changes, woken, state.buffers.shouldNotify())
        }
        for continuation in woken { continuation.resume() }
        if notifies { notify() }
        return (result, changes)
    }

    private func nextChange(after changes: UInt64, _ direction: Direction) async {
        await withCheckedContinuation { continuation in
            let isPast = state.withLock { state in
                guard state.changes == changes else { return true }
                state.waiting[direction] = continuation
                return false
            }
            if isPast { continuation.resume() }
        }
    }
}
