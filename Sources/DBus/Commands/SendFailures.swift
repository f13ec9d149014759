import Synchronization

/// Counts the messages that could not be sent and have no caller to which to report the error.
final class SendFailures: Sendable {
    private let state = Mutex<(count: Int, last: DBusError?)>((0, nil))

    func record(_ error: DBusError) {
        state.withLock { $0 = ($0.count + 1, error) }
    }

    var summary: (count: Int, last: DBusError?) {
        state.withLock { $0 }
    }
}
