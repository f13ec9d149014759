import DBus
import Foundation
import HandoffBus
import HandoffTestSupport
import Synchronization
import TestLimits
import Testing

@Suite("A device offers nothing while its user is away", .endsWithin(minutes: 15, instances: 6))
struct LoginStories {
    @Test("A locked or idle session withdraws the activity at once, and it is offered again when the user is back")
    func away() async throws {
        try await Self.run { logind, watcher in
            _ = try await watcher.one()
            for hint in ["LockedHint", "IdleHint"] {
                logind.set(hint, true)
                try await beforeTimeOut { try await watcher.none() }
                logind.set(hint, false)
                try await beforeTimeOut { _ = try await watcher.one() }
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
            try await beforeTimeOut { try await watcher.none() }
            logind.set("LockedHint", false)
            // It is still idle.
            try await beforeTimeOut { _ = try await watcher.one() }
        }
    }

    @Test("With staysWhenAway, the activity stays offered while the user is away")
    func configured() async throws {
        try await Self.runWithOrigin(configuration: "[handoffd]\nstaysWhenAway = yes\n") { logind, laptop, watcher in
            let entry = try await watcher.one()
            logind.set("LockedHint", true)
            // The session is read at the start and again at the signal; by then the lock is known.
            try await laptop.untilAway()
            // The entry is still there after the lock, and it is the same one.
            #expect(try await watcher.one()["id"] == entry["id"])
            #expect(try await laptop.json("status")["scanning"]["effort"].string == "none", "nobody is there to see it")
        }
    }

    @Test("A locked session tells that nothing is scanned, also without an activity; who asks finds what is there")
    func scanning() async throws {
        try await Self.runWithOrigin { logind, laptop, _ in
            logind.set("LockedHint", true)
            let sentence = "This session is locked or idle, so nothing is scanned"
            try await laptop.untilAway()
            let status = try await laptop.run("status").stdout
            #expect(status.contains("scanning           no\n"))
            #expect(status.contains(sentence))
            #expect(try await laptop.run("nearby", "--now").stdout.contains("nothing nearby: " + sentence))
            #expect(try await laptop.run("nearby").stdout.contains("nothing nearby: " + sentence))
            let failure = try await laptop.run("continue")
            #expect(failure.status == 4)
            #expect(failure.stderr.contains(sentence))
            let world = laptop.world
            try await world.withDevice("tablet") { tablet in
                try await laptop.trustEachOther(tablet)
                try await tablet.publishing("org.example.draw") { _ in
                    try await laptop.until("the tablet's activity", isLooking: true) { client in
                        try await client.objects().nearby.contains { $0.deviceName == "tablet" }
                    }
                    #expect(try await laptop.run("nearby").stdout.contains("tablet"))
                }
            }
        }
    }

    @Test("A computer that wakes up scans fully for a moment")
    func resumption() async throws {
        try await Self.runWithOrigin { logind, laptop, _ in
            try await laptop.until("scanning in windows") { try await $0.status().scanning.effort == "windows" }
            try await logind.isRead()
            logind.wakeUp()
            try await laptop.until("a full scan") { try await $0.status().scanning.effort == "continuous" }
        }
    }

    /// Runs `story` with two devices, of which one has an activity and a session that can be locked.
    private static func run(
        configuration: String = "",
        _ story: @escaping @Sendable (FakeLogind, NearbyWatcher) async throws -> Void
    ) async throws {
        try await runWithOrigin(configuration: configuration) { logind, _, watcher in try await story(logind, watcher) }
    }

    private static func runWithOrigin(
        configuration: String = "",
        _ story: @escaping @Sendable (FakeLogind, Device, NearbyWatcher) async throws -> Void
    ) async throws {
        try await World.run { world in
            let file = world.directory.appending(path: "handoffd.conf")
            try Data(configuration.utf8).write(to: file)
            try await withPrivateBus { bus in
                try await FakeLogind.whileOnBus(on: bus) { logind in
                    let variables = ["DBUS_SYSTEM_BUS_ADDRESS": bus.address.description]
                    let options = ["--config", file.path()]
                    try await world.withDaemon("laptop", on: bus, options, variables: variables) { laptop in
                        try await world.withDevice("desktop") { desktop in
                            try await laptop.trustEachOther(desktop)
                            try await laptop.meet(desktop)
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

extension Device {
    /// Waits until the daemon does not scan because the user is away.
    fileprivate func untilAway() async throws {
        try await until("that the user is away") { try await $0.status().scanning.reason == "away" }
    }
}

/// systemd-logind with one session, as far as handoffd uses it (org.freedesktop.login1(5)).
private final class FakeLogind: Sendable {
    private static let session: ObjectPath = "/org/freedesktop/login1/session/_32"
    private static let interface: InterfaceName = "org.freedesktop.login1.Session"

    private let hints = Mutex<[String: Bool]>([:])
    private let type = Mutex("wayland")
    private let readings = ReceivedCalls()
    private let connection: Connection
    private var objects: ObjectTree { connection.objects }

    private init(_ connection: Connection) {
        self.connection = connection
    }

    /// Runs `body` while this service is on `bus`.
    static func whileOnBus(
        on bus: PrivateBus,
        _ body: @escaping @Sendable (FakeLogind) async throws -> Void
    ) async throws {
        try await Connection.withConnection(to: bus.address) { connection in
            let logind = FakeLogind(connection)
            logind.show()
            try await connection.withName("org.freedesktop.login1") { try await body(logind) }
        }
    }

    /// Changes a hint and emits the signal for it.
    func set(_ hint: String, _ value: Bool) {
        hints.withLock { $0[hint] = value }
        objects.propertiesChanged(at: Self.session, interface: Self.interface, [hint: .boolean(value)])
    }

    /// Emits the signal that the computer has woken up.
    func wakeUp() {
        connection.emit(
            Signal(
                path: "/org/freedesktop/login1",
                interface: "org.freedesktop.login1.Manager",
                member: "PrepareForSleep",
                arguments: [.boolean(false)]
            )
        )
    }

    /// Waits until the daemon has begun to read the session, which it does once it receives the signals.
    func isRead() async throws {
        _ = await readings.next()
        try Task.checkCancellation()
    }

    /// Changes what kind of session it is.
    func setType(_ name: String) { type.withLock { $0 = name } }

    private func show() {
        let find = Method(
            name: "GetSession",
            inputs: [Argument(name: "session_id", type: .string)],
            outputs: [Argument(name: "object_path", type: .objectPath)]
        ) { [readings] _ in
            readings.append("GetSession")
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
