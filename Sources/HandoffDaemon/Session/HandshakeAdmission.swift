import AsyncSupport
import HandoffCore
import HandoffRadio
import Synchronization

/// Gives unauthenticated peers their turn, as `HandshakeQueue` decides.
final class HandshakeAdmission: Sendable {
    private typealias Queue = HandshakeQueue<RadioAddress>

    private struct Peer {
        let admission = Promise<Void>()
        let dismissal = Promise<Void>()
    }

    private struct State {
        var queue = Queue()
        var peers: [Queue.ID: Peer] = [:]
    }

    private let state = Mutex(State())
    private let deadline = CurrentValue<Duration?>(nil)

    private static let dismissed = HandoffError(
        .limitReached,
        "Too many devices are connected; this one was closed to admit another."
    )

    /// Gives places to those that wait as time passes, until the task is cancelled.
    func run() async throws {
        var now = deadline.current
        while true {
            guard let next = now.value else {
                now = try await deadline.changed(since: now)
                continue
            }
            let seen = now
            let changed = try await withTimeout(next - Moment.now.uptime) { [deadline] in
                try await deadline.changed(since: seen)
            }
            if changed == nil { perform { $0.advance(to: $1) } }
            now = deadline.current
        }
    }

    /// Runs `body` when it is the peer's turn, until it ends or the peer is dismissed for another one.
    ///
    /// - Parameters:
    ///   - owner: the address of the peer.
    ///   - hasGone: returns or throws when the peer has closed its channel, or has not waited for its turn.
    ///   - body: authenticates the peer.
    /// - Throws: ``HandoffError`` with `limitReached` when the peer was dismissed, `peerMisbehaved` when it has gone
    ///   before its turn; else what `body` throws.
    func withTurn<Success: Sendable>(
        for owner: RadioAddress,
        unless hasGone: @escaping @Sendable () async throws -> Void,
        _ body: @escaping @Sendable () async throws -> Success
    ) async throws -> Success {
        let peer = Peer()
        let id = arrive(owner, peer)
        do {
            try await turn(of: peer, unless: hasGone)
            let result = try await race(body) {
                try await peer.dismissal.value()
                throw Self.dismissed
            }
            leave(id, hasAuthenticated: true)
            return result
        } catch {
            leave(id, hasAuthenticated: false)
            throw error
        }
    }

    private func turn(of peer: Peer, unless hasGone: @escaping @Sendable () async throws -> Void) async throws {
        guard peer.admission.valueIfSet == nil else { return }
        try await race {
            try await race {
                try await peer.admission.value()
            } _: {
                try await peer.dismissal.value()
                throw Self.dismissed
            }
        } _: {
            try await hasGone()
            throw HandoffError(.peerMisbehaved, "The peer did not wait for its turn.")
        }
    }

    private func arrive(_ owner: RadioAddress, _ peer: Peer) -> Queue.ID {
        perform { queue, peers, now in
            let (id, actions) = queue.arrive(owner, at: now)
            peers[id] = peer
            return (id, actions)
        }
    }

    private func leave(_ id: Queue.ID, hasAuthenticated: Bool) {
        perform { queue, peers, now in
            peers[id] = nil
            return ((), queue.leave(id, hasAuthenticated: hasAuthenticated, at: now))
        }
    }

    private func perform(_ body: (inout Queue, Duration) -> [Queue.Action]) {
        perform { queue, _, now in ((), body(&queue, now)) }
    }

    /// Changes the queue and carries out what follows.
    private func perform<Result>(
        _ body: (inout Queue, inout [Queue.ID: Peer], Duration) -> (Result, [Queue.Action])
    ) -> Result {
        let (result, promises) = state.withLock { state in
            let (result, actions) = body(&state.queue, &state.peers, Moment.now.uptime)
            let promises = actions.compactMap { action in
                switch action {
                case .admit(let id): state.peers[id]?.admission
                case .dismiss(let id): state.peers[id]?.dismissal
                }
            }
            // Under the mutex, so that an older deadline does not replace a newer one.
            deadline.set(state.queue.deadline)
            return (result, promises)
        }
        for promise in promises { promise.fulfil(()) }
        return result
    }
}
