import DBus
import HandoffBus
import Synchronization

/// The daemon's own properties as they were shown last, so that a change signal has those that differ.
final class ShownStatus: Sendable {
    private let status = Mutex(DaemonStatus())

    /// Records what is shown to everybody who reads it from now on.
    ///
    /// - Parameter current: the object of the current activity.
    func set(_ status: DaemonStatus, current: ObjectPath) {
        self.status.withLock {
            $0 = status
            $0.currentActivity = current
        }
    }

    /// Records the status that `next` makes of the one shown last, and returns the properties that differ, by name.
    func changes(_ next: (DaemonStatus) -> DaemonStatus) -> [String: Value] {
        let shown = status.withLock(\.self)
        let present = next(shown)
        status.withLock { $0 = present }
        return present.changes(since: shown)
    }
}
