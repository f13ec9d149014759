import Synchronization

/// A value that is set once, for one task that waits for it.
final class Promise<Element: Sendable>: Sendable {
    private enum State {
        case empty
        case waiting(CheckedContinuation<Element, Never>)
        case full(Element)
    }

    private let state = Mutex(State.empty)

    /// Sets the value.
    ///
    /// Later calls have no effect.
    func fulfil(_ element: Element) {
        let waiter = state.withLock { state -> CheckedContinuation<Element, Never>? in
            switch state {
            case .empty:
                state = .full(element)
                return nil
            case .waiting(let waiter):
                state = .full(element)
                return waiter
            case .full:
                return nil
            }
        }
        waiter?.resume(returning: element)
    }

    /// Waits for the value, even if the task is cancelled.
    ///
    /// At most one task may wait.
    var element: Element {
        get async {
            await withCheckedContinuation { continuation in
                let element = state.withLock { state -> Element? in
                    if case .full(let element) = state { return element }
                    state = .waiting(continuation)
                    return nil
                }
                if let element { continuation.resume(returning: element) }
            }
        }
    }
}
