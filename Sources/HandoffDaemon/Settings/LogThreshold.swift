package import Logging
import Synchronization

/// The level from which messages are logged, which can be changed while the daemon runs.
package final class LogThreshold: Sendable {
    private let current: Mutex<Logger.Level>

    package init(_ level: Logger.Level) {
        current = Mutex(level)
    }

    /// The level.
    package var level: Logger.Level {
        get { current.withLock(\.self) }
        set { current.withLock { $0 = newValue } }
    }
}
