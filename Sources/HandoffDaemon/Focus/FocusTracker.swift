import AsyncSupport
import DBus
import HandoffCore

/// Which process has the focus, as a program of the desktop tells, and so which owners of activities have it.
struct FocusTracker: Sendable {
    private struct Focus: Sendable {
        let process: UInt32
        let client: BusName
    }

    /// How long after a change it is looked at again: a window disappears before its process ends, and that before the
    /// processes below it have another parent.
    private static let delay = Duration.seconds(2)

    private let engine: Engine
    private let connection: Connection
    private let focus = CurrentValue<Focus?>(nil)
    /// The processes that were told since the focus was applied the last time, in their order.
    ///
    /// Each counts, if only for a moment: the activity of a process that never had the focus is one of a program without a
    /// window, which is offered whatever has the focus.
    private let passed = RecentValues<UInt32>(limit: 16)

    init(engine: Engine, connection: Connection) {
        (self.engine, self.connection) = (engine, connection)
    }

    /// Records that a process has the focus, as a client tells; nil while it is unknown.
    func set(_ process: UInt32?, by client: BusName) {
        if let process { passed.add(process) }
        focus.set(process.map { Focus(process: $0, client: client) })
    }

    /// Forgets what a client has told that has left the bus.
    func clientLeft(_ client: BusName) {
        focus.set(nil) { $0?.client == client }
    }

    /// Finds out anew which owners of activities have the focus, because there is another one.
    func ownersChanged() {
        focus.modify { _ in }
    }

    /// Applies the focus until cancelled; from then on it is unknown.
    func run() async {
        defer { engine.activities.setFocus(nil) }
        var (seen, processes, history) = (focus.initial, [BusName: UInt32](), FocusHistory<BusName>())
        while let next = try? await focus.changed(since: seen) {
            seen = next
            guard let process = seen.value?.process else {
                history = FocusHistory()
                _ = passed.take()
                engine.activities.setFocus(nil)
                continue
            }
            await apply(process, &processes, &history)
            var later = Backoff(first: Self.delay, longest: Self.delay)
            guard let current = try? await later.wait(orUntil: focus, changesSince: seen) else { return }
            if current.version == seen.version { await apply(process, &processes, &history) }
        }
    }

    private func apply(
        _ process: UInt32,
        _ processes: inout [BusName: UInt32],
        _ history: inout FocusHistory<BusName>
    ) async {
        let owners = engine.read { $0.origin.followed }
        processes = processes.filter { owners.contains($0.key) }
        for owner in owners where processes[owner] == nil {
            processes[owner] = try? await connection.processID(of: owner)
        }
        let passed = self.passed.take()
        let (present, past, windowless) = history.focus(process, after: passed, among: processes) { process, root in
            ProcessTree.contains(process, below: root)
        }
        engine.activities.setFocus(present, past: past, forgetting: windowless)
    }
}
