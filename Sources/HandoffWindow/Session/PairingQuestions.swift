import DBus
import HandoffBus
import Synchronization

/// The pairing agent that the daemon calls, and the questions of it that are open.
final class PairingQuestions: Sendable {
    /// The path of the agent on the window's connection.
    static let path: ObjectPath = "/org/handoffd/Window/PairingAgent"

    private typealias Waiter = CheckedContinuation<PairingAnswer, any Error>

    private struct State {
        var lastID: PairingCall.QuestionID = 0
        var waiting: [PairingCall.QuestionID: Waiter] = [:]
        var isClosed = false
    }

    private let state = Mutex(State())
    private let report: @Sendable (PairingCall) -> Void

    /// - Parameter report: gets every call of the daemon.
    init(report: @escaping @Sendable (PairingCall) -> Void) {
        self.report = report
    }

    /// Answers a question; without effect if it is not open any more.
    func answer(_ id: PairingCall.QuestionID, _ answer: PairingAnswer) {
        state.withLock { $0.waiting.removeValue(forKey: id) }?.resume(returning: answer)
    }

    /// Ends all questions without an answer, which ends the pairing.
    func close() {
        cancelAll { $0.isClosed = true }
    }

    private func ask(_ call: @Sendable (PairingCall.QuestionID) -> PairingCall) async throws -> PairingAnswer {
        try await withCheckedThrowingContinuation { waiter in
            let id = state.withLock { state -> PairingCall.QuestionID? in
                guard !state.isClosed else { return nil }
                state.lastID += 1
                state.waiting[state.lastID] = waiter
                return state.lastID
            }
            guard let id else { return waiter.resume(throwing: Self.withdrawal) }
            report(call(id))
        }
    }

    private func cancelAll(_ change: (inout State) -> Void = { _ in }) {
        let waiting = state.withLock { state in
            change(&state)
            defer { state.waiting = [:] }
            return state.waiting
        }
        for waiter in waiting.values { waiter.resume(throwing: Self.withdrawal) }
    }

    private static let withdrawal = HandoffErrorName.userCancelled.reply("The question was withdrawn.")
}

extension PairingQuestions: PairingAgent {
    func choose(_ candidates: [PairingCandidate]) async throws -> UInt64 {
        guard case .device(let number) = try await ask({ .choice(candidates, $0) }) else { throw Self.withdrawal }
        return number
    }

    func confirm(_ digits: String, shownBy name: String, _ device: String) async throws -> Bool {
        try await ask { .digits(digits, name: name, device: device, $0) } == .areSame(true)
    }

    func cancel(_ message: String) {
        cancelAll()
        report(.cancelled(message))
    }

    func paired(_ device: ObjectPath, named name: String) {
        report(.paired(name: name))
    }

    func failed(_ error: String, _ message: String) {
        cancelAll()
        report(.failed(error: error, message: message))
    }
}
