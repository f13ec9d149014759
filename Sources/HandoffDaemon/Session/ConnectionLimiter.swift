import AsyncSupport
import HandoffCore
import Synchronization

/// Limits the sessions of peers that have proved who they are; an evicted peer gets an error.
final class ConnectionLimiter<Owner: Hashable & Sendable>: Sendable {
    private struct State {
        var admission: AdmissionControl<Owner>
        /// Set for the connection that has to end.
        var evictions: [AdmissionControl<Owner>.ID: Promise<Void>] = [:]
    }

    private let state: Mutex<State>

    /// Creates a limiter for `limit` peers.
    init(limit: Int) {
        state = Mutex(State(admission: AdmissionControl(limit: limit)))
    }

    /// Runs `body` for a peer until it ends or its connection is evicted for a new one.
    ///
    /// - Throws: ``HandoffError`` with `limitReached` when the connection was evicted; else what `body` throws.
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
            throw HandoffError(.limitReached, "Too many devices are connected; this one was closed to admit another.")
        }
    }
}
