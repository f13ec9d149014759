import AsyncSupport
import DBus
import Synchronization

extension BlueZ {
    /// The delay before bluetoothd is queried again after it failed to answer.
    private static let retryInterval = Duration.seconds(5)

    /// Keeps the adapter mirror up to date until the connection is lost.
    ///
    /// The signals are subscribed to before the objects are read: bluetoothd may send one before its answer.
    func follow() async throws {
        let rules = [
            MatchRule(sender: Names.service, path: .root, interface: "org.freedesktop.DBus.ObjectManager"),
            Self.changes(of: Names.adapter),
            Self.changes(of: Names.advertising),
            Self.changes(of: Names.mediaTransport),
        ]
        let (subscriptions, subscribed) = AsyncStream<Void>.makeStream()
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for rule in rules {
                    group.addTask { try await self.followChanges(rule) { subscribed.yield() } }
                }
                group.addTask {
                    var iterator = subscriptions.makeAsyncIterator()
                    for _ in rules { await iterator.next() }
                    try await self.followOwner()
                }
                defer { group.cancelAll() }
                try await group.next()
            }
        } catch let error as DBusError {
            throw BlueZError(error, during: .readObjects)
        }
    }

    private static func changes(of interface: String) -> MatchRule {
        MatchRule(
            sender: Names.service,
            interface: "org.freedesktop.DBus.Properties",
            member: "PropertiesChanged",
            arg0: interface
        )
    }

    /// Applies the matching signals; reads all objects again and resubscribes after each overflow.
    private func followChanges(_ rule: MatchRule, subscribed: @escaping @Sendable () -> Void) async throws {
        while true {
            do {
                return try await connection.withSignals(rule) { signals in
                    subscribed()
                    for try await signal in signals {
                        guard let change = ObjectChange(signal) else { continue }
                        try await self.apply(change, from: signal.sender)
                    }
                }
            } catch let error as DBusError where error.code == .overflow {
                try await mirrorTurns.withLock { try await self.readObjects() }
            }
        }
    }

    /// Applies one signal under the mirror's mutex: while the objects are being read, signals wait.
    ///
    /// There is no order between the subscriptions. A waiting change is applied on top of the answer. It may be
    /// older than the answer, but then a newer change of the same kind follows it.
    private func apply(_ change: ObjectChange, from sender: BusName?) async throws {
        try await mirrorTurns.withLock {
            if mirror.withLock({ $0.apply(change, from: sender) }) {
                try await readObjects()
            } else {
                publish()
            }
        }
    }

    /// Follows the owner of bluetoothd's name through restarts.
    private func followOwner() async throws {
        try await connection.withOwner(of: Names.service) { owners in
            for await owner in owners {
                try await self.mirrorTurns.withLock {
                    self.mirror.withLock { $0.follow(owner) }
                    self.publish()
                    if owner != nil { try await self.readObjects() }
                }
            }
        }
    }

    /// Reads all objects of bluetoothd; retries until it answers or is absent.
    private func readObjects() async throws {
        while true {
            do throws(DBusError) {
                let objects = try await managedObjects()
                mirror.withLock { $0.replace(with: objects) }
                return publish()
            } catch {
                guard error.code != .disconnected, error.code != .cancelled else { throw error }
                let error = BlueZError(error, during: .readObjects)
                let isAbsent = error.code == .serviceAbsent || error.code == .serviceRestarted
                mirror.withLock { $0.clear(isAbsent ? .absent : .unreachable(error)) }
                publish()
                if isAbsent { return }
            }
            try await sleep(for: Self.retryInterval)
        }
    }

    /// Returns all objects of bluetoothd.
    func managedObjects() async throws(DBusError) -> [ObjectPath: InterfaceProperties] {
        let reply = try await connection.call(
            MethodCall(
                destination: Names.service,
                path: .root,
                interface: "org.freedesktop.DBus.ObjectManager",
                member: "GetManagedObjects",
                startsService: false
            )
        )
        guard let objects = reply.first else {
            throw DBusError(.unexpectedReply, "GetManagedObjects of org.bluez returned no value")
        }
        return objectProperties(objects)
    }

    /// Records whether another program keeps discovery on.
    func noteOtherDiscovery(_ isOn: Bool, on adapter: ObjectPath) {
        guard mirror.withLock({ $0.noteOtherDiscovery(isOn, on: adapter) }) else { return }
        publish()
    }

    private func publish() {
        broadcast.update(mirror.withLock(\.snapshot))
    }
}
