package import DBus
package import HandoffBus
import Synchronization

/// The pairing agent that the daemon calls, and the questions of it that are open.
package final class PairingQuestions: Sendable {
    private typealias Waiter = CheckedContinuation<PairingAnswer, any Error>

    private struct State {
        var last: PairingCall.QuestionID = 0
        var waiting: [PairingCall.QuestionID: Waiter] = [:]
        var isClosed = false
    }

    private let state = Mutex(State())
    private let report: @Sendable (PairingCall) -> Void

    /// - Parameter report: gets every call of the daemon.
    package init(report: @escaping @Sendable (PairingCall) -> Void) {
        self.report = report
    }

    /// Answers a question, the first time only.
    package func answer(_ question: PairingCall.QuestionID, _ answer: PairingAnswer) {
        let waiter = state.withLock { $0.waiting.removeValue(forKey: question) }
        if answer == .withdrawn {
            waiter?.resume(throwing: Self.withdrawal)
        } else {
            waiter?.resume(returning: answer)
        }
    }

    /// Ends all questions without an answer, also those that come from now on, which ends the pairing.
    ///
    /// A connection waits for the answers to its calls before it closes.
    package func close() {
        let waiting = state.withLock { state in
            state.isClosed = true
            defer { state.waiting = [:] }
            return state.waiting
        }
        for waiter in waiting.values { waiter.resume(throwing: Self.withdrawal) }
    }

    private func ask(_ call: @Sendable (PairingCall.QuestionID) -> PairingCall) async throws -> PairingAnswer {
        try await withCheckedThrowingContinuation { waiter in
            let question = state.withLock { state -> PairingCall.QuestionID? in
                guard !state.isClosed else { return nil }
                state.last += 1
                state.waiting[state.last] = waiter
                return state.last
            }
            guard let question else { return waiter.resume(throwing: Self.withdrawal) }
            report(call(question))
        }
    }

    private static let withdrawal = HandoffErrorName.userCancelled.reply(
        "The question was withdrawn, or the dialog has ended."
    )
}

extension PairingQuestions: PairingAgent {
    package func choose(_ candidates: [PairingCandidate]) async throws -> UInt64 {
        // handoffd offers at least two, and any program on the bus may call the agent.
        guard !candidates.isEmpty else { throw DBusError.failure(.invalidArgs, "There is no device to choose.") }
        guard case .device(let number) = try await ask({ .choice(candidates, $0) }) else { throw Self.withdrawal }
        return number
    }

    package func confirm(_ digits: String, shownBy name: String, _ device: String) async throws -> Bool {
        try await ask { .digits(digits, name: name, device: device, $0) } == .areSame(true)
    }

    package func cancel(_ message: String) { report(.cancelled(message)) }

    package func paired(_ device: ObjectPath, named name: String) {
        report(.paired(device: device.lastElement, name: name))
    }

    package func failed(_ error: String, _ message: String) {
        report(.failed(PairingFailure(error: error, message: message)))
    }
}
