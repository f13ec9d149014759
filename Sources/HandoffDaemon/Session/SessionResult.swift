import AsyncSupport

/// The result of one session, delivered by the task that runs it to the caller that waits for it.
///
/// It does not keep the value after the caller has it or has given up: a file descriptor stays open only where it is
/// used.
final class SessionResult<Success: Sendable>: Sendable {
    private enum State: Sendable {
        case pending
        case delivered(Result<Success, any Error>)
        /// The caller has the result.
        case taken
        /// The caller gave up before there was a result.
        case abandoned
    }

    private let state = CurrentValue(State.pending)
    private let answer = Promise<Void>()

    /// Whether the peer has not answered yet.
    var isSilent: Bool { isPending && answer.valueIfSet == nil }

    /// Whether the caller still waits, and there is no result yet.
    var isPending: Bool { if case .pending = state.value { true } else { false } }

    /// Records that the peer has answered, when more has to be exchanged before there is a result.
    func noteAnswer() {
        answer.fulfil(())
    }

    /// Delivers the result; returns false if the caller has given up or there is a result already.
    @discardableResult
    func deliver(_ value: Success) -> Bool {
        state.set(.delivered(.success(value)), if: Self.isPending)
    }

    /// Delivers an error as the result, unless there is a result already.
    func fail(_ error: any Error) {
        state.set(.delivered(.failure(error)), if: Self.isPending)
    }

    /// Waits for the result.
    ///
    /// - Throws: the delivered error; `CancellationError` when the task is cancelled.
    func value() async throws -> Success {
        var now = state.current
        while true {
            if case .delivered(let result) = now.value { return try result.get() }
            now = try await state.changed(since: now)
        }
    }

    /// Forgets the result, because the caller has it or has given up.
    func end() {
        state.modify { state in
            switch state {
            case .pending: state = .abandoned
            case .delivered, .taken: state = .taken
            case .abandoned: break
            }
        }
    }

    /// Returns when the caller gives up before there is a result; never if it gets one.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    func waitUntilAbandoned() async throws {
        var now = state.current
        while true {
            if case .abandoned = now.value { return }
            now = try await state.changed(since: now)
        }
    }

    private static func isPending(_ state: State) -> Bool { if case .pending = state { true } else { false } }
}
