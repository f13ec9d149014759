import AsyncSupport
import DBus
import HandoffBus

/// Reports whether there is a daemon, and everything that it tells, after each change.
struct DaemonReader: Sendable {
    let client: HandoffClient
    let report: @Sendable (DaemonEvent) -> Void

    /// The daemon that was told that somebody looks; nil before one has come.
    private let looking = CurrentValue<BusName?>(nil)

    init(client: HandoffClient, report: @escaping @Sendable (DaemonEvent) -> Void) {
        (self.client, self.report) = (client, report)
    }

    /// A follower whose events and readings are reported.
    func follower() -> DaemonFollower {
        DaemonFollower(client: client, readsAfterSignals: true) { event in
            take(event)
        } read: { daemon in
            // A daemon that has come does not know yet that somebody looks at the list.
            if looking.value != daemon { try await client.startLooking() }
            looking.set(daemon)
            report(.state(try await state()))
        }
    }

    private func take(_ event: DaemonFollower.Event) {
        switch event {
        // Until the first one has come, the window says that it connects. What one told is void for its successor.
        case .gone, .came: if looking.value != nil { report(.absent(nil)) }
        case .signal(let signal):
            if let step = NearbyActivityEvent.Step(signal) { report(.step(signal.path, step)) }
        case .unreadable(let error): report(.absent((error as? DBusError)?.message ?? "\(error)"))
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
