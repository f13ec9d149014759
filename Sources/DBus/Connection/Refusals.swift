import Synchronization

/// Counts what could not be sent and had nobody to tell.
final class Refusals: Sendable {
    private let state = Mutex<(count: Int, last: DBusError?)>((0, nil))

    func note(_ error: DBusError) {
        state.withLock { $0 = ($0.count + 1, error) }
    }

    var noted: (count: Int, last: DBusError?) {
        state.withLock { $0 }
    }
}
