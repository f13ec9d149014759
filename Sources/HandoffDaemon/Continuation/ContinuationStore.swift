import HandoffCore
import HandoffModel
import Synchronization

/// The machine of all continuations, and for each a stream of what is to be done.
final class ContinuationStore: Sendable {
    private struct State {
        var machine = Continuations()
        var streams: [Continuations.ID: AsyncStream<Continuations.Action>.Continuation] = [:]
    }

    private let state = Mutex(State())

    /// Begins a continuation: its id, and what is to be done for it.
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

    /// Puts an event into the machine, and hands what follows to whoever carries it out.
    func note(_ id: Continuations.ID, _ event: (inout Continuations) -> [Continuations.Action]) {
        state.withLock { state in
            for action in event(&state.machine) { state.streams[id]?.yield(action) }
        }
    }

    /// Forgets a continuation that has ended, or that nobody carries out any more.
    func end(_ id: Continuations.ID) {
        state.withLock { state in
            state.machine.forget(id)
            state.streams[id] = nil
        }
    }
}
