package import AsyncSupport
package import DBus
package import HandoffBus

/// Follows a daemon on the bus: whether there is one, what it tells, and each of its signals.
///
/// It reads the daemon when it comes, and folds its signals into what was read. It never starts a daemon.
package struct DaemonFollower: Sendable {
    /// What a follower reports, one after the other.
    package enum Event: Sendable {
        /// There is no daemon, or the last one has gone; also the first event where none is on the bus.
        case gone
        /// A daemon has come, also in the place of another one; it is read next.
        case came
        /// A daemon was read, for the first time or again.
        case read(DaemonMirror)
        /// A signal of the daemon, and what the daemon has told with it; nil before it was read.
        ///
        /// Signals that arrive while it is read come after what was read, which may be newer.
        case signal(Signal, DaemonMirror?)
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
    private let contents: DaemonMirror.Contents
    private let pauses: Backoff
    private let prepare: @Sendable () async throws -> Void
    private let report: @Sendable (Event) async throws -> Void
    private let occasions = CurrentValue(Occasion())
    /// What the daemon has told; nil until it was read.
    private let mirror = CurrentValue<DaemonMirror?>(nil)
    /// The parts that are to be read again.
    private let stale = CurrentValue<DaemonMirror.Contents>([])
    /// Held while the daemon is read, and while an event is reported.
    private let turn = AsyncMutex()

    /// - Parameters:
    ///   - client: the connection over which the daemon is followed.
    ///   - contents: what of the daemon is read and kept up to date; empty for its signals alone.
    ///   - pauses: the pauses between attempts to read a daemon that does not answer.
    ///   - prepare: is run for each daemon that comes, before it is read; its failure is one to read.
    ///   - report: receives the events, one at a time and in order; an error ends the follower.
    package init(
        client: HandoffClient,
        contents: DaemonMirror.Contents,
        pauses: Backoff = Backoff(first: .seconds(1), longest: .seconds(60)),
        prepare: @escaping @Sendable () async throws -> Void = {},
        report: @escaping @Sendable (Event) async throws -> Void
    ) {
        (self.client, self.contents, self.pauses) = (client, contents, pauses)
        (self.prepare, self.report) = (prepare, report)
    }

    /// The daemon's unique name; nil while there is none.
    package var daemon: BusName? { occasions.value.daemon }

    /// Reads the daemon again, for what no signal tells; requests that come while it is read are one.
    package func refresh() { refresh(contents) }

    private func refresh(_ parts: DaemonMirror.Contents) {
        stale.modify { $0.formUnion(parts) }
        occasions.modify { $0.number += 1 }
    }

    /// Runs until cancelled.
    ///
    /// - Throws: `DBusError` when the bus is lost, or signals come faster than they are handled; what `report` throws.
    package func run() async throws {
        try await client.withSignals { signals in
            try await client.connection.withOwner(of: HandoffName.control) { owners in
                try await withThrowingDiscardingTaskGroup { group in
                    group.addTask {
                        for try await signal in signals { try await turn.withLock { try await take(signal) } }
                    }
                    group.addTask {
                        for await owner in owners { occasions.modify { $0.daemon = owner } }
                    }
                    group.addTask { try await follow() }
                }
            }
        }
    }

    private func take(_ signal: Signal) async throws {
        if mirror.value != nil { mirror.modify { $0?.apply(signal) } }
        try await report(.signal(signal, mirror.value))
        if let parts = mirror.value?.stale(after: signal), !parts.isEmpty { refresh(parts) }
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
                try await turn.withLock {
                    mirror.set(nil)
                    try await report(daemon == nil ? .gone : .came)
                }
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
            let known = mirror.value
            let parts = known == nil ? contents : stale.value
            stale.set([])
            do {
                if known == nil { try await prepare() }
                let read = try await client.mirror(parts)
                mirror.modify { mirror in
                    if mirror == nil { mirror = read } else { mirror?.replace(parts, with: read) }
                }
            } catch {
                stale.modify { $0.formUnion(parts) }
                try Task.checkCancellation()
                // A daemon that has just gone is reported by the bus.
                if self.daemon == daemon { try await report(.unreadable(error)) }
                return false
            }
            if let mirror = mirror.value { try await report(.read(mirror)) }
            return true
        }
    }
}
