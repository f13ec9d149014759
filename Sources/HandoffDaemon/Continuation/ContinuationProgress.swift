import AsyncSupport
import Synchronization

/// The continuation for which no app shows the user that an activity is coming, so that the desktop has to.
final class ContinuationProgress: Sendable {
    /// Such a continuation.
    struct Wait: Hashable, Sendable {
        fileprivate let number: UInt64
        /// The name of the device from which the activity comes.
        let deviceName: String
    }

    /// The continuation that has begun last; nil when there is none.
    let wait = CurrentValue<Wait?>(nil)
    private let lastNumber = Mutex<UInt64>(0)

    /// Begins to wait for an activity of the device of that name; ends when ``end(_:)`` is called with the result.
    func begin(_ deviceName: String) -> Wait {
        lastNumber.withLock { lastNumber in
            lastNumber += 1
            let new = Wait(number: lastNumber, deviceName: deviceName)
            wait.set(new)
            return new
        }
    }

    /// Ends a wait; does nothing when it has ended, or another one has begun.
    func end(_ ended: Wait) {
        lastNumber.withLock { lastNumber in
            if ended.number == lastNumber { wait.set(nil) }
        }
    }
}
