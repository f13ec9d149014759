import AsyncSupport
import DBus
import Synchronization

/// The daemon's open questions, each by a number.
final class PairingQuestions: Sendable {
    enum Answer: Sendable {
        case choice(UInt64)
        case confirmation(Bool)
    }

    private struct State {
        var last: UInt64 = 0
        var open: [UInt64: Promise<Answer?>] = [:]
    }

    private let state = Mutex(State())

    /// Adds a question; its answer is nil when it ends without one.
    func add() -> (number: UInt64, answer: Promise<Answer?>) {
        state.withLock { state in
            state.last += 1
            let answer = Promise<Answer?>()
            state.open[state.last] = answer
            return (state.last, answer)
        }
    }

    /// Answers a question, the first time only.
    func answer(_ number: UInt64, _ answer: Answer?) {
        state.withLock { $0.open.removeValue(forKey: number) }?.fulfil(answer)
    }

    /// Ends all questions without an answer.
    func abandonAll() {
        let open = state.withLock { state in
            defer { state.open = [:] }
            return state.open.values.map(\.self)
        }
        for answer in open { answer.fulfil(nil) }
    }
}
