import AsyncSupport
import HandoffCore
import HandoffModel
import Synchronization

/// Decides which of the dials to one device is used: that whose channel is open first, unless it has given up by then.
final class DialContest: Sendable {
    private struct State {
        var winner: PeerEndpoint?
        var hasGivenUp: Set<PeerEndpoint> = []
        var isInterrupted = false
    }

    private let state = Mutex(State())
    private let opened = Promise<PeerEndpoint>()
    private let overtaken = CurrentValue<Set<PeerEndpoint>>([])

    /// The endpoint whose channel is used; nil before one is open.
    var winner: PeerEndpoint? { state.withLock(\.winner) }

    /// Records that the channel to an endpoint is open; returns whether it is the one that is used.
    func opens(_ endpoint: PeerEndpoint) -> Bool {
        let wins = state.withLock { state in
            guard state.winner == nil, !state.isInterrupted, !state.hasGivenUp.contains(endpoint) else { return false }
            state.winner = endpoint
            return true
        }
        if wins { opened.fulfil(endpoint) }
        return wins
    }

    /// Ends the dial to an endpoint; returns false if its channel is the one that is used.
    func givesUp(_ endpoint: PeerEndpoint) -> Bool {
        state.withLock { state in
            guard state.winner != endpoint else { return false }
            state.hasGivenUp.insert(endpoint)
            return true
        }
    }

    /// Ends all dials; returns false if a channel is used already.
    func interrupt() -> Bool {
        state.withLock { state in
            guard state.winner == nil else { return false }
            state.isInterrupted = true
            return true
        }
    }

    /// Records that a newer endpoint is dialled beside these.
    func overtake(_ endpoints: Set<PeerEndpoint>) {
        overtaken.modify { $0.formUnion(endpoints) }
    }

    /// Waits for the first channel to be open, and returns its endpoint.
    func whenOpen() async throws(CancellationError) -> PeerEndpoint { try await opened.value() }

    /// Waits until a newer endpoint is dialled beside that one.
    func whenOvertaken(_ endpoint: PeerEndpoint) async throws(CancellationError) {
        var seen = overtaken.current
        while !seen.value.contains(endpoint) { seen = try await overtaken.changed(since: seen) }
    }
}
