import HandoffRadio
import Synchronization

/// One end of a GATT channel: connects the user of the channel with the transport that exchanges its frames.
///
/// As for every `RadioChannel`, at most one task sends and one receives at a time; cancelling either closes the
/// channel.
package final class GATTChannel: Sendable {
    private enum Direction { case sending, receiving }

    private struct State {
        var buffers = GATTChannelBuffers()
        /// Counts the changes, so that none is missed between an attempt and the wait for the next change.
        var changes: UInt64 = 0
        var waiting: [Direction: CheckedContinuation<Void, Never>] = [:]
    }

    private let state = Mutex(State())
    private let notify: @Sendable () -> Void

    /// - Parameter notify: called, from any thread, when there is something to send to the other side.
    init(notify: @escaping @Sendable () -> Void) {
        self.notify = notify
    }

    /// Sends one message; waits while the other side is slow.
    func send(_ message: [UInt8]) async throws(RadioError) {
        let limit = GATTFrame.maximumDataLength
        guard (1...limit).contains(message.count) else {
            throw RadioError(.messageTooLong, "a message on this channel has 1 to \(limit) bytes, got \(message.count)")
        }
        try await whenPossible(.sending) { $0.send(message) }
    }

    /// Returns the next bytes, or nil when the other side has closed the channel.
    func receive() async throws(RadioError) -> [UInt8]? {
        try await whenPossible(.receiving) { $0.receive() }
    }

    /// Closes this side.
    func close() {
        change { $0.close() }
    }

    /// Fails the channel without notifying the other side.
    func fail(_ error: RadioError) {
        change { $0.fail(error) }
    }

    /// Whether the channel has ended: nothing is sent or received any more.
    var isOver: Bool { state.withLock(\.buffers.isOver) }

    /// Whether the channel has failed: the other side has to learn that there is none any more.
    var isLost: Bool { state.withLock(\.buffers.isLost) }

    /// Whether this side has closed the channel, or it has ended.
    var isClosing: Bool { state.withLock { $0.buffers.isClosed || $0.buffers.isOver } }

    /// Whether the next frame has something new for the other side.
    var hasPendingData: Bool { state.withLock(\.buffers.hasPendingData) }

    /// Returns the next frame of a caller.
    func nextFrame(channel: UInt32, number: UInt8) -> GATTFrame {
        change { $0.nextFrame(channel: channel, number: number) }
    }

    /// Accepts the answer to a caller's frame, which may be that there is no such channel any more.
    func accept(_ answer: GATTFrame) {
        change { $0.acceptAnswer(answer) }
    }

    /// Accepts a caller's frame and returns the answer.
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

    /// Repeats the attempt after each change until there is an outcome.
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

    /// Makes one attempt; without an outcome it changes nothing and wakes no task.
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
