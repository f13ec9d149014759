import AsyncSupport
import Synchronization

/// Tasks that wait for one promise, and the outcome that each wait must have.
final class PromiseScene: Sendable {
    private enum Answer: Equatable {
        case value(Int), cancelled
    }

    private struct State {
        var value: Int?
        /// The waiting tasks, and whether each wait can be cancelled.
        var waiting: [Int: Bool] = [:]
        var answers: [Int: Answer] = [:]
        var cancelled: Set<Int> = []
    }

    private let promise = Promise<Int>()
    private let schedule: Schedule
    private let state = Mutex(State())

    init(_ schedule: Schedule) {
        self.schedule = schedule
    }

    /// Starts a task that waits once.
    func startWaiter(_ name: Int) -> Task<Void, any Error> {
        let isCancellable = schedule.chance(70)
        return schedule.start {
            await self.schedule.pause()
            self.willWait(name, isCancellable)
            self.didWait(name, await self.answer(isCancellable))
        }
    }

    /// Starts a task that fulfils the promise.
    func startFulfilling(with number: Int) {
        _ = schedule.start {
            await self.schedule.pause()
            self.fulfil(with: number)
        }
    }

    func fulfil(with number: Int) {
        let isFirst = state.withLock { state in
            guard state.value == nil else { return false }
            state.value = number
            for name in state.waiting.keys { state.answers[name] = .value(number) }
            state.waiting = [:]
            return true
        }
        schedule.expect(promise.fulfil(number) == isFirst, "\(number) was the first value: \(isFirst)")
    }

    func cancel(_ name: Int, of tasks: [Task<Void, any Error>]) {
        state.withLock { state in
            state.cancelled.insert(name)
            guard state.waiting[name] == true else { return }
            state.waiting[name] = nil
            state.answers[name] = .cancelled
        }
        tasks[name].cancel()
    }

    private func answer(_ isCancellable: Bool) async -> Answer {
        guard isCancellable else { return .value(await promise.valueIgnoringCancellation()) }
        do {
            return .value(try await promise.value())
        } catch {
            return .cancelled
        }
    }

    private func willWait(_ name: Int, _ isCancellable: Bool) {
        state.withLock { state in
            if isCancellable, state.cancelled.contains(name) {
                state.answers[name] = .cancelled
            } else if let value = state.value {
                state.answers[name] = .value(value)
            } else {
                state.waiting[name] = isCancellable
            }
        }
    }

    private func didWait(_ name: Int, _ answer: Answer) {
        let expected = state.withLock { $0.answers.removeValue(forKey: name) }
        schedule.expect(answer == expected, "wait \(name) ended with \(answer), not \(String(describing: expected))")
    }
}
