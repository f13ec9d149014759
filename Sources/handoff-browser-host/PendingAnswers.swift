import AsyncSupport
import HandoffBrowser
import Synchronization

/// Questions to the extension whose answers are awaited.
final class PendingAnswers<Answer: Sendable>: Sendable {
    /// The questions that may wait at once: more than one user can cause.
    private static var maximum: Int { 32 }

    private struct State {
        var lastID: BrowserMessage.ID = 0
        var waiting: [BrowserMessage.ID: Promise<Answer>] = [:]
    }

    private let state = Mutex(State())

    /// Asks, and waits for the answer.
    ///
    /// - Parameters:
    ///   - limit: how long to wait.
    ///   - send: sends the question with its number.
    /// - Returns: nil if there is none in time, or too many questions wait.
    func ask(within limit: Duration, _ send: (BrowserMessage.ID) -> Void) async -> Answer? {
        let promise = Promise<Answer>()
        let id = state.withLock { state -> BrowserMessage.ID? in
            guard state.waiting.count < Self.maximum else { return nil }
            state.lastID &+= 1
            state.waiting[state.lastID] = promise
            return state.lastID
        }
        guard let id else { return nil }
        defer { state.withLock { $0.waiting[id] = nil } }
        send(id)
        return (try? await withTimeout(limit) { try await promise.value() }) ?? nil
    }

    /// Passes an answer on; without effect when nobody waits for it.
    func answer(_ answer: Answer, to id: BrowserMessage.ID) {
        state.withLock { $0.waiting[id] }?.fulfil(answer)
    }
}
