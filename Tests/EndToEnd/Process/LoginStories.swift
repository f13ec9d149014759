import DBus
import Foundation
import HandoffBus
import HandoffTestSupport
import Synchronization
import TestLimits
import Testing

@Suite("A device offers nothing while its user is away", .endsWithin(minutes: 15, instances: 4))
struct LoginStories {
    @Test("A locked or idle session withdraws the activity at once, and it is offered again when the user is back")
    func away() async throws {
        try await Self.run { logind, watcher in
            _ = try await watcher.one()
            for hint in ["LockedHint", "IdleHint"] {
                logind.set(hint, true)
                try await atOnce { try await watcher.none() }
                logind.set(hint, false)
                try await atOnce { _ = try await watcher.one() }
            }
        }
    }

    @Test("The origin says that it does not offer its activity: publish, status and its JSON")
    func told() async throws {
        try await Self.runWithOrigin { logind, laptop, _ in
            let publish = ["publish", "--type", "org.example.away"]
            try await laptop.withControl(publish) { _, output in
                try await output.line(containing: #""event":"offered""#)
                logind.set("LockedHint", true)
                try await output.line(containing: #""event":"sessionAway""#)
                #expect(try await laptop.run("status").stdout.contains("org.example.away (not offered now)"))
                let advisories = try await laptop.json("status")["advisories"].array
                #expect(advisories.contains { $0["name"].string == "withheld" })
                logind.set("LockedHint", false)
                try await output.line(containing: #""event":"sessionBack""#)
            }
        }
    }

    @Test("A text console on which nobody types does not withdraw the activity, and one that is locked does")
    func console() async throws {
        try await Self.run { logind, watcher in
            _ = try await watcher.one()
            logind.setType("tty")
            logind.set("IdleHint", true)
            logind.set("LockedHint", true)
            try await atOnce { try await watcher.none() }
            logind.set("LockedHint", false)
            // It is still idle.
            try await atOnce { _ = try await watcher.one() }
        }
    }

    @Test("With staysWhenAway, the activity stays offered while the user is away")
    func configured() async throws {
        try await Self.run(configuration: #"{"staysWhenAway": true}"#) { logind, watcher in
            let entry = try await watcher.one()
            logind.set("LockedHint", true)
            // The entry is still there after the lock, and it is the same one.
            #expect(try await watcher.one()["id"] == entry["id"])
            #expect(logind.requestCount == 0)
        }
    }

    /// Runs `story` with two devices, of which one has an activity and a session that can be locked.
    private static func run(
        configuration: String = "{}",
        _ story: @escaping @Sendable (FakeLogind, NearbyWatcher) async throws -> Void
    ) async throws {
        try await runWithOrigin(configuration: configuration) { logind, _, watcher in try await story(logind, watcher) }
    }

    private static func runWithOrigin(
        configuration: String = "{}",
        _ story: @escaping @Sendable (FakeLogind, Device, NearbyWatcher) async throws -> Void
    ) async throws {
        try await World.run { world in
            let file = world.directory.appending(path: "handoffd.json")
            try Data(configuration.utf8).write(to: file)
            try await withPrivateBus { bus in
                try await FakeLogind.whileOnBus(on: bus) { logind in
                    let variables = ["DBUS_SYSTEM_BUS_ADDRESS": bus.address.description]
                    let options = ["--config", file.path()]
                    try await world.withDaemon("laptop", on: bus, options, variables: variables) { laptop in
                        try await world.withDevice("desktop") { desktop in
                            try await laptop.trustEachOther(desktop)
                            try await laptop.publishing("org.example.edit") { _ in
                                try await desktop.watching { try await story(logind, laptop, $0) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// systemd-logind with one session, as far as handoffd uses it (org.freedesktop.login1(5)).
private final class FakeLogind: Sendable {
    private static let session: ObjectPath = "/org/freedesktop/login1/session/_32"
    private static let interface: InterfaceName = "org.freedesktop.login1.Session"

    private let hints = Mutex<[String: Bool]>([:])
    private let type = Mutex("wayland")
    private let requests = Mutex(0)
    private let objects: ObjectTree

    private init(_ objects: ObjectTree) {
        self.objects = objects
    }

    /// How often a client requested the session.
    var requestCount: Int { requests.withLock { $0 } }

    /// Runs `body` while this service is on `bus`.
    static func whileOnBus(
        on bus: PrivateBus,
        _ body: @escaping @Sendable (FakeLogind) async throws -> Void
    ) async throws {
        try await Connection.withConnection(to: bus.address) { connection in
            let logind = FakeLogind(connection.objects)
            logind.show()
            try await connection.withName("org.freedesktop.login1") { try await body(logind) }
        }
    }

    /// Changes a hint and emits the signal for it.
    func set(_ hint: String, _ value: Bool) {
        hints.withLock { $0[hint] = value }
        objects.propertiesChanged(at: Self.session, interface: Self.interface, [hint: .boolean(value)])
    }

    /// Changes what kind of session it is.
    func setType(_ name: String) { type.withLock { $0 = name } }

    private func show() {
        let find = Method(
            name: "GetSession",
            inputs: [Argument(name: "session_id", type: .string)],
            outputs: [Argument(name: "object_path", type: .objectPath)]
        ) { [self] _ in
            requests.withLock { $0 += 1 }
            return .reply([.objectPath(Self.session)])
        }
        objects.insert(
            [Interface(name: "org.freedesktop.login1.Manager", methods: [find])],
            at: "/org/freedesktop/login1"
        )
        let properties = ["LockedHint", "IdleHint"].map { hint in
            Property(name: MemberName(stringLiteral: hint), type: .boolean) { [self] in
                .boolean(hints.withLock { $0[hint] ?? false })
            }
        }
        let kind = Property(name: "Type", type: .string) { [self] in .string(type.withLock { $0 }) }
        objects.insert([Interface(name: Self.interface, properties: properties + [kind])], at: Self.session)
    }
}
