import HandoffCore
import HandoffModel
import Synchronization

/// The state machine of all continuations, and for each a stream of the actions to perform.
final class ContinuationStore: Sendable {
    private struct State {
        var machine = Continuations()
        var streams: [Continuations.ID: AsyncStream<Continuations.Action>.Continuation] = [:]
    }

    private let state = Mutex(State())

    /// Begins a continuation; returns its id and its actions.
    func begin(announcedTo app: Continuations.AppID?) -> (Continuations.ID, AsyncStream<Continuations.Action>) {
        let (actions, continuation) = AsyncStream<Continuations.Action>.makeStream()
        let id = state.withLock { state in
            let begun = state.machine.begin(announcedTo: app)
            state.streams[begun.id] = continuation
            for (id, action) in begun.actions { state.streams[id]?.yield(action) }
            return begun.id
        }
        return (id, actions)
    }

    /// Passes an event to the machine, and the resulting actions to their continuations' streams.
    func note(_ id: Continuations.ID, _ event: (inout Continuations) -> [Continuations.Action]) {
        state.withLock { state in
            for action in event(&state.machine) { state.streams[id]?.yield(action) }
        }
    }

    /// Forgets a continuation that has ended or was abandoned.
    func end(_ id: Continuations.ID) {
        state.withLock { state in
            state.machine.forget(id)
            state.streams[id] = nil
        }
    }
}
