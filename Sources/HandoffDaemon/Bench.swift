import HandoffCore
import Synchronization

/// Seats for peers of whom nothing is known for sure; who loses one is told so.
final class Bench<Owner: Hashable & Sendable>: Sendable {
    private struct State {
        var seats: Seats<Owner>
        /// Raised for whoever has to leave.
        var endings: [Seats<Owner>.ID: Latest<Bool>] = [:]
    }

    private let state: Mutex<State>

    /// Room for `limit` peers.
    init(limit: Int) {
        state = Mutex(State(seats: Seats(limit: limit)))
    }

    /// Runs `body` for a peer until a newcomer needs the seat.
    ///
    /// - Throws: ``HandoffError`` with `limitReached` when somebody else got the seat; else what `body` throws.
    func withSeat<Success: Sendable>(
        for owner: Owner,
        _ body: @escaping @Sendable () async throws -> Success
    ) async throws -> Success {
        let ending = Latest(false)
        let (id, displaced) = state.withLock { state in
            let (id, displaced) = state.seats.take(by: owner)
            state.endings[id] = ending
            return (id, displaced.flatMap { state.endings.removeValue(forKey: $0) })
        }
        defer {
            state.withLock { state in
                state.seats.leave(id)
                state.endings[id] = nil
            }
        }
        displaced?.set(true)
        return try await first(body) {
            _ = try await ending.changed(since: ending.initial)
            throw HandoffError(.limitReached, "Too many devices are connected; another one got the place.")
        }
    }
}
