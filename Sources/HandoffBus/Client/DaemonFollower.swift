package import AsyncSupport
package import DBus

/// Follows a daemon on the bus: whether there is one, what it tells when it is read, and each of its signals.
///
/// It never starts a daemon.
package struct DaemonFollower: Sendable {
    /// What a follower reports, one after the other.
    package enum Event: Sendable {
        /// There is no daemon, or the last one has gone; also the first event where none is on the bus.
        case gone
        /// A daemon has come, also in the place of another one; it is read next.
        case came
        /// A signal of the daemon. Those that arrive while it is read come after what was read, which may be older.
        case signal(Signal)
        /// A daemon that is there could not be read; it is read again after a pause.
        case unreadable(any Error)
    }

    /// What makes reading the daemon worthwhile.
    private struct Occasion {
        /// The daemon that is there; nil for none.
        var daemon: BusName?
        /// The number of times that reading was asked for.
        var number: UInt64 = 0
    }

    /// Is fulfilled when it is known for the first time whether there is a daemon, and what it tells.
    package let hasLooked = Promise<Void>()

    private let client: HandoffClient
    private let pauses: Backoff
    private let readsAfterSignals: Bool
    private let report: @Sendable (Event) -> Void
    private let read: @Sendable (BusName) async throws -> Void
    private let occasions = CurrentValue(Occasion())
    /// Held while the daemon is read.
    private let turn = AsyncMutex()

    /// - Parameters:
    ///   - client: the connection over which the daemon is followed.
    ///   - pauses: the pauses between attempts to read a daemon that does not answer.
    ///   - readsAfterSignals: whether each signal makes the daemon be read again; signals that come meanwhile are one.
    ///   - report: receives the events, in order.
    ///   - read: reads the daemon with this unique name, and keeps what it tells.
    package init(
        client: HandoffClient,
        pauses: Backoff = Backoff(first: .seconds(1), longest: .seconds(60)),
        readsAfterSignals: Bool = false,
        report: @escaping @Sendable (Event) -> Void,
        read: @escaping @Sendable (BusName) async throws -> Void
    ) {
        (self.client, self.pauses, self.readsAfterSignals) = (client, pauses, readsAfterSignals)
        (self.report, self.read) = (report, read)
    }

    /// The daemon's unique name; nil while there is none.
    package var daemon: BusName? { occasions.value.daemon }

    /// Reads the daemon again, for what no signal tells; requests that come while it is read are one.
    package func refresh() {
        occasions.modify { $0.number += 1 }
    }

    /// Runs until cancelled.
    ///
    /// - Throws: `DBusError` when the bus is lost, or signals come faster than they are read.
    package func run() async throws {
        try await client.withSignals { signals in
            try await client.connection.withOwner(of: HandoffName.control) { owners in
                try await withThrowingDiscardingTaskGroup { group in
                    group.addTask {
                        for try await signal in signals {
                            try await turn.withLock { report(.signal(signal)) }
                            if readsAfterSignals { refresh() }
                        }
                    }
                    group.addTask {
                        for await owner in owners { occasions.modify { $0.daemon = owner } }
                    }
                    group.addTask { try await follow() }
                }
            }
        }
    }

    private func follow() async throws {
        var seen = occasions.initial
        var last: BusName?
        var retry = pauses
        while true {
            seen = try await occasions.changed(since: seen)
            let daemon = seen.value.daemon
            if daemon != last || daemon == nil {
                retry.reset()
                report(daemon == nil ? .gone : .came)
                last = daemon
            }
            if let daemon {
                while try await !attempt(daemon), occasions.current.version == seen.version {
                    hasLooked.fulfil(())
                    _ = try await retry.wait(orUntil: occasions, changesSince: seen)
                }
            }
            hasLooked.fulfil(())
        }
    }

    /// Returns whether the daemon was read.
    private func attempt(_ daemon: BusName) async throws -> Bool {
        try await turn.withLock {
            do {
                try await read(daemon)
                return true
            } catch {
                try Task.checkCancellation()
                // A daemon that has just gone is reported by the bus.
                if self.daemon == daemon { report(.unreadable(error)) }
                return false
            }
        }
    }
}
