import AsyncSupport
import DBus
import HandoffCore

/// Which process has the focus, as a program of the desktop tells, and so which owners of activities have it.
struct FocusTracker: Sendable {
    private struct Focus: Sendable {
        let process: UInt32
        let client: BusName
    }

    private let engine: Engine
    private let connection: Connection
    private let focus = CurrentValue<Focus?>(nil)

    init(engine: Engine, connection: Connection) {
        (self.engine, self.connection) = (engine, connection)
    }

    /// Records that a process has the focus, as a client tells; nil while it is unknown.
    func set(_ process: UInt32?, by client: BusName) {
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
        var (seen, processes) = (focus.initial, [BusName: UInt32]())
        while let next = try? await focus.changed(since: seen) {
            seen = next
            guard let process = next.value?.process else {
                engine.activities.setFocus(nil)
                continue
            }
            let owners = engine.read { $0.origin.owners }
            processes = processes.filter { owners.contains($0.key) }
            for owner in owners where processes[owner] == nil {
                processes[owner] = try? await connection.processID(of: owner)
            }
            let focused = owners.filter { owner in
                processes[owner].map { ProcessTree.contains($0, below: process) } ?? false
            }
            engine.activities.setFocus(focused)
        }
    }
}
