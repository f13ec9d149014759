import AsyncSupport
import DBus
import HandoffBus

/// Reports whether there is a daemon, and everything that it tells, after each change.
struct DaemonFollower: Sendable {
    let client: HandoffClient
    let report: @Sendable (DaemonEvent) -> Void

    /// What may make the reported state old.
    private struct Change {
        /// The daemon that is there.
        let daemon: BusName
        /// The number of changes that it has told of.
        var number: UInt64 = 0
    }

    /// The newest change; nil while there is no daemon.
    private let changes = CurrentValue<Change?>(nil)

    init(client: HandoffClient, report: @escaping @Sendable (DaemonEvent) -> Void) {
        (self.client, self.report) = (client, report)
    }

    /// The unique name of the daemon; nil while there is none.
    var daemon: BusName? { changes.value?.daemon }

    /// Runs until cancelled.
    ///
    /// - Throws: `DBusError` when the bus is lost.
    func run() async throws {
        try await client.withSignals { signals in
            try await client.connection.withOwner(of: HandoffName.control) { owners in
                try await withThrowingDiscardingTaskGroup { group in
                    group.addTask { try await follow(signals) }
                    group.addTask { await follow(owners) }
                    group.addTask { try await reportStates() }
                }
            }
        }
    }

    /// Reads the state again, for what no signal tells.
    func refresh() {
        changes.modify { $0?.number += 1 }
    }

    private func follow(_ signals: SignalSequence) async throws {
        for try await signal in signals {
            if let step = NearbyActivityEvent.Step(signal) { report(.step(signal.path, step)) }
            refresh()
        }
    }

    private func follow(_ owners: AsyncStream<BusName?>) async {
        var last: BusName?
        for await owner in owners where owner != last {
            // Also when another daemon has taken the place of one.
            if last != nil { report(.absent(nil)) }
            last = owner
            changes.set(owner.map { Change(daemon: $0) })
        }
    }

    /// Reads the state after each change; changes that come meanwhile are one.
    private func reportStates() async throws {
        var seen = changes.initial
        var looking: BusName?
        while true {
            seen = try await changes.changed(since: seen)
            guard let daemon = seen.value?.daemon else { continue }
            do {
                // A daemon that has come does not know yet that somebody looks at the list.
                if looking != daemon { try await client.startLooking() }
                looking = daemon
                report(.state(try await state()))
            } catch let error as DBusError {
                // A daemon that has just stopped is reported by the bus.
                if changes.value != nil, error.code != .cancelled { report(.absent(error.message)) }
            }
        }
    }

    private func state() async throws -> DaemonState {
        DaemonState(
            status: try await client.status(),
            objects: try await client.objects(),
            rules: try await known { try await client.rules() } ?? RulesStatus([:]),
            unconfirmed: try await known { try await client.unconfirmedDevices() } ?? [],
            apps: try await known { try await client.apps().apps } ?? []
        )
    }

    /// Returns what a call returns; nil for one that a daemon of another version does not know.
    private func known<Success>(_ call: () async throws -> Success) async throws -> Success? {
        do {
            return try await call()
        } catch let error as DBusError where [.unknownInterface, .unknownMethod].contains(error.name) {
            return nil
        }
    }
}
