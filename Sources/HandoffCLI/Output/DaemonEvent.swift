import AsyncSupport
import DBus
import HandoffBus
import HandoffClient
private import Synchronization

/// What a command that follows the daemon has to handle.
enum DaemonEvent: Sendable {
    /// The daemon runs, and tells this: at the beginning, and each time that it has started again.
    case started(DaemonMirror)
    /// The daemon has stopped, and all its objects with it.
    case stopped
    /// A signal of the daemon, which tells this after it.
    case signal(Signal, DaemonMirror)
}

extension HandoffClient {
    /// Calls `handle` with each event of the daemon, one at a time, until cancelled; begins with `started`.
    ///
    /// - Parameters:
    ///   - contents: what of the daemon is read.
    ///   - prepare: is run for each daemon that starts, before it is read.
    /// - Throws: what `prepare` and `handle` throw, except for calls that fail because the daemon has just stopped, which
    ///   is the next event; `DBusError` if there is no daemon at the beginning, or the connection to the bus ends.
    func follow(
        _ contents: DaemonMirror.Contents = [],
        prepare: @escaping @Sendable () async throws -> Void = {},
        _ handle: @escaping @Sendable (DaemonEvent) async throws -> Void
    ) async throws {
        // This also starts a daemon that the bus can start.
        _ = try await status()
        let isRunning = Mutex(false)
        let follower = DaemonFollower(client: self, contents: contents, prepare: prepare) { event in
            let wasRunning = isRunning.withLock { isRunning in
                defer { isRunning = Self.isRunning(after: event, isRunning) }
                return isRunning
            }
            do {
                switch event {
                // A daemon can take the place of another one.
                case .gone, .came: if wasRunning { try await handle(.stopped) }
                case .read(let mirror): if !wasRunning { try await handle(.started(mirror)) }
                case .signal(let signal, let mirror?): try await handle(.signal(signal, mirror))
                case .signal(_, nil): break
                case .unreadable(let error): throw error
                }
            } catch let error as DBusError where Self.isLost(error) {
                return
            }
        }
        try await follower.run()
    }

    private static func isRunning(after event: DaemonFollower.Event, _ wasRunning: Bool) -> Bool {
        switch event {
        case .gone, .came: false
        case .read: true
        case .signal, .unreadable: wasRunning
        }
    }

    /// Whether a call has failed because the daemon has stopped meanwhile.
    static func isLost(_ error: DBusError) -> Bool {
        error.code == .noReply || error.code == .remote && DaemonAbsence.isIndicated(by: error)
    }
}
