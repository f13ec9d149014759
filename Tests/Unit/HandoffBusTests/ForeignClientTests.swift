import DBus
import HandoffBus
import HandoffModel
import HandoffTestSupport
import TestLimits
import Testing

@Suite("D-Bus programs by other projects call the interfaces", .endsWithin(minutes: 10, instances: 1))
struct ForeignClientTests {
    @Test("A client with python3-dbus writes and reads each kind of value, and gets errors by name")
    func python() async throws {
        try await FakeDaemon.whileOnBus { bus, daemon, _ in
            let remote = try Activity(
                type: ActivityType("org.example.remote"),
                title: "Far",
                userInfo: ["when": .date(Timestamp(seconds: 7, nanoseconds: 8)), "all": .set([.url("tel:112")])]
            )
            daemon.change { $0.remote = [remote] }
            let result = try await run("/usr/bin/python3", ["-c", pythonStory], environment: bus.environment)
            #expect(result.status == 0, "\(result.stderr)")
            #expect(result.stdout == "all is well\n")
            let created = try #require(daemon.read(\.created.first))
            #expect(created.properties.title == "Draft")
            #expect(created.properties.userInfo == (try Self.everyKind()))
            #expect(daemon.read(\.draft.properties.userInfo) == ["page": .integer(3)])
        }
    }

    private static func everyKind() throws -> [String: UserInfoValue] {
        [
            "null": .null, "yes": .boolean(true), "int": .integer(-1), "big": .unsigned(.max), "real": .real(0.5),
            "text": .string("Grüße"), "data": .data([0, 255]), "url": .url("mailto:ann@example.org"),
            "date": .date(try Timestamp(seconds: 1, nanoseconds: 500_000_000)),
            "list": .array([.string("a"), .string("b")]), "mixed": .array([.integer(1), .string("b")]),
            "dict": .dictionary(["k": .integer(5)]), "set": .set([.integer(1), .string("x")]),
        ]
    }

    @Test("Any userInfo is the same after a round trip through python3-dbus")
    func random() async throws {
        try await FakeDaemon.whileOnBus { bus, daemon, _ in
            let seed = UInt64.random(in: 0...UInt64.max)
            var random = RandomUserInfo(seed: seed)
            let type = try ActivityType("org.example.random")
            var activities: [Activity] = []
            for _ in 0..<100 { activities.append(try Activity(type: type, userInfo: random.dictionary())) }
            let remote = activities
            daemon.change { $0.remote = remote }
            let result = try await run("/usr/bin/python3", ["-c", pythonMirror, "100"], environment: bus.environment)
            #expect(result.status == 0, "\(result.stderr)")
            #expect(daemon.read(\.created).map(\.properties.userInfo) == activities.map(\.userInfo), "seed \(seed)")
        }
    }

    @Test("The program busctl creates an activity, sets and reads its properties, and lists the objects")
    func busctl() async throws {
        try await FakeDaemon.whileOnBus { bus, daemon, _ in
            func busctl(_ arguments: String...) async throws -> ProgramResult {
                try await run("/usr/bin/busctl", ["--address=\(bus.address)"] + arguments)
            }
            let (name, root) = (HandoffName.bus.description, HandoffName.root.description)
            let (object, interface) = (FakeDaemon.activity.description, HandoffName.activityInterface.description)
            let created = try await busctl(
                "call",
                name,
                root,
                "org.handoffd.Manager1",
                "CreateActivity",
                "sa{sv}a{sv}",
                "org.example.a",
                "2",
                "Title",
                "s",
                "Draft",
                "UserInfo",
                "a{sv}",
                "2",
                "line",
                "i",
                "12",
                "link",
                "(ss)",
                "url",
                "https://example.org",
                "0"
            )
            #expect(created.stdout == "o \"\(object)\"\n", "\(created.stderr)")
            let userInfo = daemon.read(\.created.first?.properties.userInfo)
            #expect(userInfo == ["line": .integer(12), "link": .url("https://example.org")])

            let set = try await busctl("set-property", name, object, interface, "Title", "s", "Sketch")
            #expect(set.status == 0, "\(set.stderr)")
            let title = try await busctl("get-property", name, object, interface, "Title")
            #expect(title.stdout == "s \"Sketch\"\n")
            let tree = try await busctl("tree", "--list", name)
            #expect(tree.stdout.contains(FakeDaemon.nearby.description))
            let introspection = try await busctl("introspect", name, object)
            #expect(introspection.stdout.contains(".AddUserInfoEntries"))
            let refused = try await busctl(
                "call",
                name,
                root,
                "org.handoffd.Manager1",
                "CreateActivity",
                "sa{sv}a{sv}",
                "a",
                "0",
                "0"
            )
            #expect(refused.status != 0)
            #expect(refused.stderr.contains("is not an activity type"), "\(refused.stderr)")
        }
    }

    @Test("The program gdbus continues an activity, and shows the name of an error")
    func gdbus() async throws {
        try await FakeDaemon.whileOnBus { bus, daemon, _ in
            func continueActivity() async throws -> ProgramResult {
                let options = ["call", "--address", bus.address.description, "--dest", HandoffName.bus.description]
                let object = ["--object-path", FakeDaemon.nearby.description]
                let method = ["--method", "org.handoffd.NearbyActivity1.Fetch", "{}"]
                return try await run("/usr/bin/gdbus", options + object + method)
            }
            let refused = try await continueActivity()
            #expect(refused.stderr.contains("org.handoffd.Error.PeerUnreachable: desk cannot be reached."))
            daemon.change { $0.remote = [try? Activity(type: ActivityType("org.example.a"))].compactMap(\.self) }
            let answer = try await continueActivity()
            #expect(answer.stdout.contains("'Type': <'org.example.a'>"), "\(answer.stderr)")
        }
    }
}

private let pythonStory = """
    import dbus
    bus = dbus.SessionBus()
    name, root = "org.handoffd.Handoff1", "/org/handoffd/Handoff1"
    manager = dbus.Interface(bus.get_object(name, root), "org.handoffd.Manager1")
    def tagged(tag, value): return dbus.Struct((tag, value), signature="sv")
    everything = {
        "null": tagged("null", ""), "yes": True, "int": -1, "big": dbus.UInt64(2**64 - 1), "real": 0.5,
        "text": "Grüße", "data": dbus.ByteArray(bytes([0, 255])), "url": tagged("url", "mailto:ann@example.org"),
        "date": tagged("date", dbus.Struct((1, 500000000), signature="xu")), "list": ["a", "b"],
        "mixed": dbus.Array([1, "b"], signature="v"), "dict": {"k": 5},
        "set": dbus.Struct(("set", dbus.Array([1, "x"], signature="v")), signature="sav"),
    }
    path = manager.CreateActivity("org.example.python", {"Title": "Draft", "UserInfo":
        dbus.Dictionary(everything, signature="sv")}, {})
    activity = dbus.Interface(bus.get_object(name, path), "org.handoffd.Activity1")
    activity.BecomeCurrent({})
    activity.AddUserInfoEntries({"page": 3}, {})
    properties = dbus.Interface(bus.get_object(name, path), "org.freedesktop.DBus.Properties")
    assert properties.Get("org.handoffd.Activity1", "Current")
    assert properties.Get("org.handoffd.Activity1", "UserInfo") == {"page": 3}
    nearby = dbus.Interface(bus.get_object(name, root + "/Nearby/7"), "org.handoffd.NearbyActivity1")
    remote = nearby.Fetch({})
    assert remote["Type"] == "org.example.remote" and remote["Title"] == "Far", remote
    assert remote["UserInfo"]["when"] == ("date", (7, 8)), remote
    assert remote["UserInfo"]["all"] == ("set", [("url", "tel:112")]), remote
    try:
        manager.CreateActivity("org.example.python", {"UserInfo": {"where": dbus.ObjectPath("/")}}, {})
        assert False
    except dbus.DBusException as error:
        assert error.get_dbus_name() == "org.handoffd.Error.InvalidUserInfo"
        assert error.get_dbus_message().startswith('userInfo["where"] ')
    print("all is well")
    """

/// Fetches an activity and creates one with its userInfo, as often as its argument says.
private let pythonMirror = """
    import dbus, sys
    bus = dbus.SessionBus()
    name, root = "org.handoffd.Handoff1", "/org/handoffd/Handoff1"
    manager = dbus.Interface(bus.get_object(name, root), "org.handoffd.Manager1")
    nearby = dbus.Interface(bus.get_object(name, root + "/Nearby/7"), "org.handoffd.NearbyActivity1")
    for _ in range(int(sys.argv[1])):
        manager.CreateActivity("org.example.python", {"UserInfo": nearby.Fetch({})["UserInfo"]}, {})
    """
