import AsyncSupport
import DBus
import HandoffBus
private import Synchronization

/// What a command that follows the daemon has to handle.
enum DaemonEvent: Sendable {
    /// The daemon runs: at the beginning, and each time that it has started again.
    case started
    /// The daemon has stopped, and all its objects with it.
    case stopped
    case signal(Signal)
}

extension HandoffClient {
    /// Calls `handle` with each event of the daemon, one at a time, until cancelled; begins with `started`.
    ///
    /// - Throws: what `handle` throws, except for calls that fail because the daemon has just stopped, which is the
    ///   next event; `DBusError` if there is no daemon at the beginning, or the connection to the bus ends.
    func follow(_ handle: @escaping @Sendable (DaemonEvent) async throws -> Void) async throws {
        try await withSignals { signals in
            // This also starts a daemon that the bus can start.
            _ = try await status()
            try await connection.withOwner(of: HandoffName.control) { owners in
                let turn = AsyncMutex()
                let owner = Mutex<BusName?>(nil)
                let handleInTurn: @Sendable (DaemonEvent) async throws -> Void = { event in
                    try await turn.withLock {
                        do {
                            try await handle(event)
                        } catch let error as DBusError where Self.isLost(error) {
                            return
                        }
                    }
                }
                try await race {
                    for try await signal in signals where owner.withLock({ $0 != nil }) {
                        try await handleInTurn(.signal(signal))
                    }
                } _: {
                    for await next in owners {
                        let last = owner.withLock { $0 }
                        guard next != last else { continue }
                        if last != nil { try await handleInTurn(.stopped) }
                        owner.withLock { $0 = next }
                        if next != nil { try await handleInTurn(.started) }
                    }
                    // The connection has ended, which the signals report as an error.
                    try await untilCancelled()
                }
            }
        }
    }

    /// Whether a call has failed because the daemon has stopped meanwhile.
    static func isLost(_ error: DBusError) -> Bool {
        error.code == .noReply || error.code == .remote && DaemonAbsence.isIndicated(by: error)
    }
}
