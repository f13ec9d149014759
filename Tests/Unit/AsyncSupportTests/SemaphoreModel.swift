import Synchronization

/// The expected behaviour of a semaphore: the free permits, the queue, and how each wait ends.
///
/// A test reports each event in the step in which it happens, and the model compares it with what is expected.
final class SemaphoreModel: Sendable {
    private enum Answer {
        case permit, none
    }

    private struct State {
        var available: Int
        var queue: [Int] = []
        var answers: [Int: Answer] = [:]
        var cancelled: Set<Int> = []
        var holders = 0
        var isClosed = false
    }

    private let limit: Int
    private let schedule: Schedule
    private let state: Mutex<State>

    init(_ permits: Int, _ schedule: Schedule) {
        limit = permits
        self.schedule = schedule
        state = Mutex(State(available: permits))
    }

    /// The number of free permits.
    var available: Int { state.withLock(\.available) }

    /// A task is about to ask for a permit.
    func willAcquire(_ task: Int) {
        state.withLock { state in
            if state.isClosed || state.cancelled.contains(task) {
                state.answers[task] = Answer.none
            } else if state.available > 0 {
                state.available -= 1
                state.answers[task] = .permit
            } else {
                state.queue.append(task)
            }
        }
    }

    /// A task has asked for a permit without waiting.
    func didTry(_ task: Int, _ hasPermit: Bool) {
        let expected = state.withLock { state in
            let isFree = state.available > 0 && !state.isClosed
            if isFree { state.available -= 1 }
            return isFree
        }
        schedule.expect(hasPermit == expected, "task \(task) tried: \(hasPermit), expected \(expected)")
        if hasPermit { hold(task) }
    }

    /// A task continues with a permit.
    func didAcquire(_ task: Int) {
        let answer = state.withLock { $0.answers.removeValue(forKey: task) }
        schedule.expect(answer == .permit, "task \(task) has a permit out of turn")
        hold(task)
    }

    /// A task continues without a permit.
    func didFail(_ task: Int) {
        let answer = state.withLock { $0.answers.removeValue(forKey: task) }
        schedule.expect(answer == Answer.none, "task \(task) was refused without a reason")
    }

    /// A task is about to release its permit.
    func willRelease() {
        state.withLock { state in
            state.holders -= 1
            if state.queue.isEmpty {
                state.available += 1
            } else {
                state.answers[state.queue.removeFirst()] = .permit
            }
        }
    }

    /// A task is about to be cancelled.
    func willCancel(_ task: Int) {
        state.withLock { state in
            state.cancelled.insert(task)
            guard let index = state.queue.firstIndex(of: task) else { return }
            state.queue.remove(at: index)
            state.answers[task] = Answer.none
        }
    }

    /// The semaphore is about to be closed.
    func willClose() {
        state.withLock { state in
            state.isClosed = true
            for task in state.queue { state.answers[task] = Answer.none }
            state.queue = []
        }
    }

    private func hold(_ task: Int) {
        let holders = state.withLock { state in
            state.holders += 1
            return state.holders
        }
        schedule.expect(holders <= limit, "task \(task) is one of \(holders) holders")
    }
}
