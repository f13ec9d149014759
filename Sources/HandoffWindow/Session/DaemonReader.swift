import AsyncSupport
import DBus
import HandoffBus
import HandoffClient

/// Reports whether there is a daemon, and everything that it tells, after each change.
struct DaemonReader: Sendable {
    let client: HandoffClient
    let report: @Sendable (DaemonEvent) -> Void

    /// Whether a daemon has come and knows that somebody looks.
    private let hasCome = CurrentValue(false)
    /// What was reported last.
    private let reported = CurrentValue<DaemonMirror?>(nil)

    init(client: HandoffClient, report: @escaping @Sendable (DaemonEvent) -> Void) {
        (self.client, self.report) = (client, report)
    }

    /// A follower whose events are reported.
    func follower() -> DaemonFollower {
        DaemonFollower(client: client, contents: .all) {
            // A daemon that has come does not know yet that somebody looks at the list.
            try await client.startLooking()
            hasCome.set(true)
        } report: { event in
            take(event)
        }
    }

    private func take(_ event: DaemonFollower.Event) {
        switch event {
        // Until the first one has come, the window says that it connects. What one told is void for its successor.
        case .gone, .came: if hasCome.value { lose(nil) }
        case .read(let mirror): show(mirror)
        case .signal(let signal, let mirror):
            if let step = NearbyActivityEvent.Step(signal) { report(.step(signal.path, step)) }
            if let mirror { show(mirror) }
        case .unreadable(let error): lose((error as? DBusError)?.message ?? "\(error)")
        }
    }

    private func lose(_ reason: String?) {
        reported.set(nil)
        report(.absent(reason))
    }

    private func show(_ mirror: DaemonMirror) {
        if reported.update(mirror) { report(.state(DaemonState(mirror))) }
    }
}

extension DaemonState {
    fileprivate init(_ mirror: DaemonMirror) {
        self.init(
            status: mirror.status,
            objects: mirror.objects,
            rules: mirror.rules,
            unconfirmed: mirror.unconfirmed,
            apps: mirror.apps
        )
    }
}
