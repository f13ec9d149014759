import DBus
import HandoffBus
import HandoffModel
import HandoffTestSupport
import TestLimits
import Testing

@Suite("The interfaces as they are served over a bus", .endsWithin(minutes: 10, instances: 1))
struct ServedInterfaceTests {
    private static func property(_ name: MemberName, _ client: HandoffClient) async throws -> Value {
        try await client.connection.property(
            of: HandoffName.bus,
            at: FakeDaemon.activity,
            interface: HandoffName.activityInterface,
            name: name
        )
    }

    private static func set(_ name: MemberName, to value: Value, _ client: HandoffClient) async throws {
        try await client.connection.setProperty(
            of: HandoffName.bus,
            at: FakeDaemon.activity,
            interface: HandoffName.activityInterface,
            name: name,
            to: value
        )
    }

    @Test("The daemon's state and objects arrive unchanged")
    func reading() async throws {
        try await FakeDaemon.whileOnBus { _, daemon, client in
            daemon.change { $0.draft.properties.title = "Draft" }
            let status = try await client.status()
            #expect([status.version, status.deviceID, status.deviceName] == ["1.2.3", "fedcba9876543210", "laptop"])
            #expect([status.radioState, status.radioMessage] == ["ready", "hci0"])
            #expect(status.protocolVersion == 1)
            #expect(status.scanning == FakeManager(daemon: daemon).status.scanning)
            #expect(status.advisories.map(\.name) == ["SlowAdvertising"])
            #expect(status.advisories.map(\.message) == ["Set it faster."])
            #expect(status.questions == FakeManager(daemon: daemon).status.questions)
            #expect(status.currentActivity == .root)

            let objects = try await client.objects()
            #expect(objects.activities.map(\.path) == [FakeDaemon.activity])
            #expect(objects.activities.first?.properties["Title"] == .string("Draft"))
            #expect(objects.activities.first?.properties["EncodedSize"] == .uint32(42))
            #expect(objects.devices.map(\.name) == ["desk"])
            let nearby = try #require(objects.nearby.first)
            #expect(nearby.deviceID == FakeDaemon.deviceID)
            #expect(nearby.typeHash == "01020304")
            #expect(nearby.rssi == -40)
        }
    }

    @Test("A call reaches the daemon, with the bus name of the program that made it")
    func asking() async throws {
        try await FakeDaemon.whileOnBus { _, daemon, client in
            var draft = ActivityDraft()
            draft.properties.title = "Draft"
            draft.isEligible = false
            let path = try await client.createActivity(ofType: "org.example.a", draft)
            #expect(path == FakeDaemon.activity)
            try await client.becomeCurrent(path)
            #expect(try await client.status().currentActivity == path)
            try await client.invalidate(path)
            try await client.startLooking()
            try await client.setFocus(42)
            try await client.setFocus(nil)
            #expect(try await client.card() == "handoffd1:card")
            #expect(try await client.trust(card: "handoffd1:other") == FakeDaemon.device)
            try await client.remove(device: FakeDaemon.device)

            let asked = daemon.read(\.asked)
            #expect(
                asked.map(\.what) == [
                    "CreateActivity org.example.a", "BecomeCurrent", "Invalidate", "StartLooking",
                    "SetFocus 42", "SetFocus nil", "TrustCard handoffd1:other", "Remove",
                ]
            )
            #expect(asked.prefix(4).allSatisfy { $0.by == client.connection.uniqueName })
            let created = daemon.read(\.created)
            #expect(created.map(\.properties.title) == ["Draft"])
            #expect(created.map(\.isEligible) == [false])
        }
    }

    @Test("An error keeps its name and its message, whichever method was called")
    func errors() async throws {
        try await FakeDaemon.whileOnBus { _, daemon, client in
            let failure = HandoffErrorName.notOwner.reply("This activity belongs to another program.")
            daemon.change { $0.failure = failure }
            let calls: [@Sendable () async throws -> Void] = [
                { _ = try await client.createActivity(ofType: "org.example.a", ActivityDraft()) },
                { try await client.becomeCurrent(FakeDaemon.activity) },
                { try await client.invalidate(FakeDaemon.activity) },
                { try await client.startLooking() },
                { _ = try await client.trust(card: "x") },
                { try await client.remove(device: FakeDaemon.device) },
                { _ = try await client.fetchActivity(FakeDaemon.nearby) },
                { try await Self.set("Title", to: .string("x"), client) },
            ]
            for call in calls { #expect(await dbusError(call) == failure) }
        }
    }

    @Test("The properties of an activity can be set, and each one is checked")
    func setting() async throws {
        try await FakeDaemon.whileOnBus { _, daemon, client in
            try await Self.set("Title", to: .string("Draft"), client)
            try await Self.set("UserInfo", to: ["line": Value.int32(3)].value, client)
            try await Self.set("WebpageURL", to: .string("https://example.org"), client)
            try await Self.set("Eligible", to: .boolean(false), client)
            let draft = daemon.read(\.draft)
            #expect(draft.properties.title == "Draft")
            #expect(draft.properties.userInfo == ["line": .integer(3)])
            #expect(!draft.isEligible)
            #expect(try await Self.property("UserInfo", client) == ["line": Value.int64(3)].value)
            #expect(try await Self.property("WebpageURL", client) == .string("https://example.org"))

            let url = await dbusError { try await Self.set("WebpageURL", to: .string("x:y"), client) }
            #expect(HandoffErrorName(url?.name) == .invalidWebpageURL)
            let path = await dbusError {
                try await Self.set("UserInfo", to: ["a": Value.objectPath("/")].value, client)
            }
            #expect(HandoffErrorName(path?.name) == .invalidUserInfo)
            let type = await dbusError { try await Self.set("Title", to: .byte(1), client) }
            #expect(type?.name == "org.freedesktop.DBus.Error.InvalidArgs")
            for name in ["Type", "Current", "EncodedSize"] as [MemberName] {
                let error = await dbusError { try await Self.set(name, to: .string("x"), client) }
                #expect(error?.name == "org.freedesktop.DBus.Error.PropertyReadOnly")
            }
            #expect(daemon.read(\.draft.properties.title) == "Draft")
        }
    }

    @Test("Added entries replace those of the same key and leave the others")
    func addedEntries() async throws {
        try await FakeDaemon.whileOnBus { _, daemon, client in
            daemon.change { $0.draft.properties.userInfo = ["a": .integer(1), "b": .integer(2)] }
            let call = MethodCall(
                destination: HandoffName.bus,
                path: FakeDaemon.activity,
                interface: HandoffName.activityInterface,
                member: "AddUserInfoEntries",
                arguments: [["b": Value.string("two"), "c": .boolean(true)].value, [String: Value]().value]
            )
            _ = try await client.connection.call(call)
            #expect(
                daemon.read(\.draft.properties.userInfo)
                    == ["a": .integer(1), "b": .string("two"), "c": .boolean(true)]
            )
        }
    }

    @Test("A misspelt property is refused before anything is created")
    func misspelt() async throws {
        try await FakeDaemon.whileOnBus { _, daemon, client in
            let call = MethodCall(
                destination: HandoffName.bus,
                path: HandoffName.root,
                interface: HandoffName.managerInterface,
                member: "CreateActivity",
                arguments: [.string("org.example.a"), ["title": Value.string("x")].value, [String: Value]().value]
            )
            let error = await dbusError { _ = try await client.connection.call(call) }
            #expect(HandoffErrorName(error?.name) == .invalidArgument)
            #expect(daemon.read(\.asked.count) == 0)
        }
    }

    @Test("The deepest userInfo of each kind passes through every property and method", arguments: Nesting.allCases)
    func deepest(_ nesting: Nesting) async throws {
        try await FakeDaemon.whileOnBus { _, daemon, client in
            let userInfo = ["k": try nesting.date(at: ActivityLimits.nestingDepth)]
            let value = UserInfoCoding.value(of: userInfo)
            var draft = ActivityDraft()
            draft.properties.userInfo = userInfo
            let type = try ActivityType(FakeDaemon.type)
            let activity = try Activity(type: type, properties: draft.properties)
            daemon.change { $0.remote = [activity] }

            try await Self.set("UserInfo", to: value, client)
            _ = try await client.createActivity(ofType: type.rawValue, draft)
            #expect(daemon.read(\.created.first?.properties.userInfo) == userInfo)
            #expect(try await client.objects().activities.first?.properties["UserInfo"] == value)
            #expect(try await client.fetchActivity(FakeDaemon.nearby) == activity)
        }
    }

    @Test("A signal is received from the moment at which the subscription begins")
    func signals() async throws {
        try await FakeDaemon.whileOnBus { bus, daemon, client in
            let heard = try await client.withSignals { signals in
                try await Connection.withConnection(to: bus.address) { other in
                    // Only signals of the owner of the daemon's name are received.
                    other.objects.propertiesChanged(at: HandoffName.root, interface: HandoffName.managerInterface, [:])
                    _ = try await HandoffClient(connection: other).card()
                }
                daemon.emitChange(["RadioState": .string("BluetoothOff")])
                for try await signal in signals { return signal.arguments[1].stringDictionary }
                return nil
            }
            #expect(heard == ["RadioState": .string("BluetoothOff")])
        }
    }
}
