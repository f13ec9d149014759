import DBus
import Glibc
import HandoffTestSupport
import Synchronization
import TestLimits
import Testing

@Suite("Interoperability with other D-Bus implementations", .endsWithin(minutes: 10, instances: 1))
struct InteropTests {
    private let name: BusName = "org.example.Interop"

    /// Exports an object with methods, a property and a signal on a bus of its own.
    private func withInteropObject(
        _ body: @escaping @Sendable (PrivateBus, Connection) async throws -> Void
    ) async throws {
        try await withPrivateBus { bus in
            try await Connection.withConnection(to: bus.address) { connection in
                connection.objects.insertObjectManager(at: "/org/example")
                connection.objects.insert([interopInterface(of: connection)], at: testPath)
                try await connection.withName(name) { try await body(bus, connection) }
            }
        }
    }

    @Test("The program busctl calls methods, reads, writes, lists and introspects")
    func busctl() async throws {
        try await withInteropObject { bus, _ in
            func busctl(_ arguments: String...) async throws -> String {
                let all = ["--address=\(bus.address)", "--no-pager"] + arguments
                let result = try await run("/usr/bin/busctl", all)
                #expect(result.status == 0, "\(result.stderr)")
                return result.stdout
            }
            let object = ["org.example.Interop", "/org/example/Object"]
            let member = "org.example.Interface1"
            #expect(
                try await busctl("call", object[0], object[1], member, "Join", "sas", "-", "2", "a", "b")
                    == "s \"a-b\"\n"
            )
            #expect(try await busctl("get-property", object[0], object[1], member, "Count") == "u 3\n")
            _ = try await busctl("set-property", object[0], object[1], member, "Count", "u", "4")
            #expect(try await busctl("get-property", object[0], object[1], member, "Count") == "u 4\n")
            let tree = try await busctl("tree", "--list", object[0])
            #expect(tree.contains("/org/example/Object"))
            let description = try await busctl("introspect", object[0], object[1])
            #expect(description.contains(".Join                               method    sas       s            -"))
            let managed = [
                "call", object[0], "/org/example", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects",
            ]
            let list = try await run("/usr/bin/busctl", ["--address=\(bus.address)"] + managed)
            #expect(
                list.stdout.hasPrefix(
                    "a{oa{sa{sv}}} 1 \"/org/example/Object\" 1 \"org.example.Interface1\" 1 \"Count\""
                )
            )
        }
    }

    @Test("The program gdbus calls methods, reads properties, lists objects and introspects")
    func gdbus() async throws {
        try await withInteropObject { bus, _ in
            func gdbus(_ command: String, _ path: String, _ arguments: String...) async throws -> ProgramResult {
                let target = ["--address", "\(bus.address)", "--dest", "org.example.Interop", "--object-path", path]
                return try await run("/usr/bin/gdbus", [command] + target + arguments)
            }
            let object = testPath.description
            let join = try await gdbus("call", object, "--method", "org.example.Interface1.Join", "+", "['x', 'y']")
            #expect(join.stdout == "('x+y',)\n", "\(join.stderr)")
            let failure = try await gdbus("call", object, "--method", "org.example.Interface1.Fail")
            #expect(failure.status != 0)
            #expect(failure.stderr.contains("org.example.Error.Failure"))
            let all = ["--method", "org.freedesktop.DBus.Properties.GetAll", "org.example.Interface1"]
            let properties = try await gdbus("call", object, all[0], all[1], all[2])
            #expect(properties.stdout == "({'Count': <uint32 3>},)\n", "\(properties.stderr)")
            let managed = "org.freedesktop.DBus.ObjectManager.GetManagedObjects"
            let objects = try await gdbus("call", "/org/example", "--method", managed)
            #expect(objects.stdout.contains("{'org.example.Interface1': {'Count': <uint32 3>}}"), "\(objects.stderr)")
            let description = try await gdbus("introspect", object, "--xml")
            #expect(description.stdout.contains("<method name=\"Join\">"), "\(description.stderr)")
        }
    }

    @Test("A client with python3-dbus calls methods, receives signals and passes file descriptors")
    func pythonClient() async throws {
        try await withInteropObject { bus, _ in
            let result = try await run("/usr/bin/python3", ["-c", pythonClientSource], environment: bus.environment)
            #expect(result.status == 0, "\(result.stderr)")
            #expect(result.stdout == "all is well\n")
        }
    }

    @Test("A service with python3-dbus answers calls, emits signals, and exchanges file descriptors")
    func pythonService() async throws {
        try await withPrivateBus { bus in
            let arguments = ["-c", pythonServiceSource]
            try await withProgram("/usr/bin/python3", arguments, environment: bus.environment) { service in
                guard await service.stdout.firstLine() == "ready" else {
                    Issue.record("the service did not start: \(await service.stderr.text())")
                    return
                }
                try await Connection.withConnection(to: bus.address) { try await Self.exercise($0) }
            }
        }
    }

    private static func exercise(_ client: Connection) async throws {
        let owner: BusName = "org.example.Python"
        let inner = Value.structure([.int64(-1), .bytes([1, 2]), ["a": Value.double(0.5)].value])
        for value in [inner, .string("x"), .array(of: .objectPath, []), .variant(.byte(1)), .bytes([])] {
            let answer = try await client.callTest("Echo", of: owner, [.variant(value)])
            #expect(answer == [.variant(value)])
        }
        let error = await dbusError { _ = try await client.callTest("Fail", of: owner) }
        #expect(error == DBusError(.remote, "no", name: "org.example.Error.Python"))

        try await client.withSignals(MatchRule(sender: owner, member: "Happened")) { signals in
            _ = try await client.callTest("Emit", of: owner, [.string("now")])
            let found = try await signals.first(1)
            #expect(found.map(\.arguments) == [[.string("now")]])
        }

        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let reading = UnixFD(taking: ends[0])
        _ = try await client.callTest("Write", of: owner, [.unixFD(UnixFD(taking: ends[1])), .string("from python")])
        var buffer = [UInt8](repeating: 0, count: 64)
        let count = reading.withFileDescriptor { read($0, &buffer, 64) }
        #expect(String(decoding: buffer.prefix(count), as: UTF8.self) == "from python")

        let opened = try await client.callTest("Open", of: owner, [.string("/dev/zero")])
        let file = try #require(opened.first?.unixFD)
        let zeros = file.withFileDescriptor { read($0, &buffer, 4) }
        #expect(zeros == 4)
    }
}

/// An interface with methods, a property and a signal, as `pythonClientSource` uses them.
private func interopInterface(of connection: Connection) -> Interface {
    let any = Argument(name: "value", type: .variant)
    let shared = SharedCount()
    return Interface(
        name: testInterface,
        methods: [
            Method(
                name: "Join",
                inputs: [Argument(name: "by", type: .string), Argument(name: "parts", type: .array(.string))],
                outputs: [Argument(name: "text", type: .string)]
            ) { call in
                let separator = try call.arguments.decode(at: 0, as: String.self)
                return .reply([
                    .string(try call.arguments.decode(at: 1, as: [String].self).joined(separator: separator))
                ])
            },
            Method(name: "Echo", inputs: [any], outputs: [any]) { call in .deferred { call.arguments } },
            Method(name: "Fail") { _ in throw DBusError.failure("org.example.Error.Failure", "on purpose") },
            Method(name: "Emit", inputs: [Argument(name: "text", type: .string)]) { call in
                connection.emit(testSignal("Happened", call.arguments))
                return .reply([])
            },
            Method(
                name: "Pass",
                inputs: [Argument(name: "in", type: .unixFD)],
                outputs: [Argument(name: "out", type: .unixFD)]
            ) {
                .reply($0.arguments)
            },
        ],
        properties: [
            Property(name: "Count", type: .uint32, get: { shared.value }) { value, _ in
                shared.value = value
                connection.objects.propertiesChanged(at: testPath, interface: testInterface, ["Count": value])
                return .reply([])
            }
        ],
        signals: [SignalDescription(name: "Happened", arguments: [Argument(name: "text", type: .string)])]
    )
}

private final class SharedCount: Sendable {
    private let state = Mutex(Value.uint32(3))

    var value: Value {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}

private let pythonClientSource = """
    import os, dbus, dbus.mainloop.glib
    from gi.repository import GLib
    dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
    bus = dbus.SessionBus()
    proxy = bus.get_object("org.example.Interop", "/org/example/Object")
    object = dbus.Interface(proxy, "org.example.Interface1")
    assert object.Join("-", ["a", "b"]) == "a-b"
    for value in [dbus.Struct((1, dbus.Array([], signature="s"))), dbus.ByteArray(b"xyz"), "é", dbus.Int64(-1),
                  dbus.Dictionary({"a": dbus.UInt16(1)}, signature="sv"), dbus.ObjectPath("/a"), True, 0.5]:
        assert object.Echo(value, byte_arrays=True) == value, value
    try:
        object.Fail()
        assert False
    except dbus.DBusException as error:
        assert error.get_dbus_name() == "org.example.Error.Failure"
        assert error.get_dbus_message() == "on purpose"
    try:
        object.Echo("x", "y", signature="ss")
        assert False
    except dbus.DBusException as error:
        assert error.get_dbus_name() == "org.freedesktop.DBus.Error.InvalidArgs"
    properties = dbus.Interface(proxy, "org.freedesktop.DBus.Properties")
    properties.Set("org.example.Interface1", "Count", dbus.UInt32(8))
    assert properties.Get("org.example.Interface1", "Count") == 8
    manager = dbus.Interface(bus.get_object("org.example.Interop", "/org/example"), "org.freedesktop.DBus.ObjectManager")
    assert manager.GetManagedObjects() == {"/org/example/Object": {"org.example.Interface1": {"Count": 8}}}
    dbus.Interface(proxy, "org.freedesktop.DBus.Peer").Ping()
    reader, writer = os.pipe()
    back = object.Pass(dbus.types.UnixFd(writer)).take()
    os.write(back, b"through")
    assert os.read(reader, 7) == b"through"
    loop = GLib.MainLoop()
    heard = []
    object.connect_to_signal("Happened", lambda text: (heard.append(text), loop.quit()))
    object.Emit("heard")
    loop.run()
    assert heard == ["heard"]
    print("all is well")
    """

private let pythonServiceSource = """
    import os, dbus, dbus.service, dbus.mainloop.glib
    from gi.repository import GLib
    dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
    NAME = "org.example.Interface1"

    class Failure(dbus.DBusException):
        _dbus_error_name = "org.example.Error.Python"

    class Object(dbus.service.Object):
        @dbus.service.method(NAME, in_signature="v", out_signature="v")
        def Echo(self, value):
            return value

        @dbus.service.method(NAME)
        def Fail(self):
            raise Failure("no")

        @dbus.service.method(NAME, in_signature="s")
        def Emit(self, text):
            self.Happened(text)

        @dbus.service.signal(NAME, signature="s")
        def Happened(self, text):
            pass

        @dbus.service.method(NAME, in_signature="hs")
        def Write(self, file, text):
            os.write(file.take(), text.encode())

        @dbus.service.method(NAME, in_signature="s", out_signature="h")
        def Open(self, path):
            file = os.open(path, os.O_RDONLY)
            try:
                return dbus.types.UnixFd(file)
            finally:
                os.close(file)

    bus = dbus.SessionBus()
    name = dbus.service.BusName("org.example.Python", bus)
    object = Object(bus, "/org/example/Object")
    print("ready", flush=True)
    GLib.MainLoop().run()
    """
