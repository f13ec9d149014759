import AsyncSupport
import HandoffCore
import Synchronization

/// Seats for peers of whom nothing is known for sure; who loses one is told so.
final class ConnectionLimiter<Owner: Hashable & Sendable>: Sendable {
    private struct State {
        var admission: AdmissionControl<Owner>
        /// Raised for whoever has to leave.
        var evictions: [AdmissionControl<Owner>.ID: Promise<Void>] = [:]
    }

    private let state: Mutex<State>

    /// Room for `limit` peers.
    init(limit: Int) {
        state = Mutex(State(admission: AdmissionControl(limit: limit)))
    }

    /// Runs `body` for a peer until a newcomer needs the seat.
    ///
    /// - Throws: ``HandoffError`` with `limitReached` when somebody else got the seat; else what `body` throws.
    func withAdmission<Success: Sendable>(
        for owner: Owner,
        _ body: @escaping @Sendable () async throws -> Success
    ) async throws -> Success {
        let eviction = Promise<Void>()
        let (id, evicted) = state.withLock { state in
            let (id, evicted) = state.admission.admit(owner)
            state.evictions[id] = eviction
            return (id, evicted.flatMap { state.evictions.removeValue(forKey: $0) })
        }
        defer {
            state.withLock { state in
                state.admission.release(id)
                state.evictions[id] = nil
            }
        }
        evicted?.fulfil(())
        return try await race(body) {
            try await eviction.value()
            throw HandoffError(.limitReached, "Too many devices are connected; another one got the place.")
        }
    }
}
