import DBus
import HandoffTestSupport
import Synchronization
import TestLimits
import Testing

@Suite("Objects, properties and object managers", .endsWithin(minutes: 10, instances: 1))
struct ObjectTests {
    /// An interface with one property of each kind.
    private static func lamp(_ brightness: SharedValue) -> Interface {
        Interface(
            name: "org.example.Lamp1",
            properties: [
                Property(name: "Name", type: .string, changes: .constant, get: { .string("desk") }),
                Property(
                    name: "Brightness",
                    type: .uint32,
                    get: { brightness.value },
                    set: { value, _ in
                        brightness.value = value
                        return .reply([])
                    }
                ),
            ]
        )
    }

    final class SharedValue: Sendable {
        private let state = Mutex(Value.uint32(5))

        var value: Value {
            get { state.withLock { $0 } }
            set { state.withLock { $0 = newValue } }
        }
    }

    @Test("Properties are read, written and listed")
    func properties() async throws {
        try await withTwoConnections { _, server, client in
            server.objects.insert([Self.lamp(SharedValue())], at: "/lamp")
            let owner = server.uniqueName
            func read(_ name: MemberName) async throws(DBusError) -> Value {
                try await client.property(of: owner, at: "/lamp", interface: "org.example.Lamp1", name: name)
            }
            func write(_ name: MemberName, _ value: Value) async throws(DBusError) {
                try await client.setProperty(
                    of: owner,
                    at: "/lamp",
                    interface: "org.example.Lamp1",
                    name: name,
                    to: value
                )
            }
            #expect(try await read("Brightness") == .uint32(5))
            try await write("Brightness", .uint32(9))
            let all = try await client.properties(of: owner, at: "/lamp", interface: "org.example.Lamp1")
            #expect(all == ["Name": .string("desk"), "Brightness": .uint32(9)])
            let readOnly = await dbusError { try await write("Name", .string("x")) }
            #expect(readOnly?.name == .propertyReadOnly)
            let wrongType = await dbusError { try await write("Brightness", .string("x")) }
            #expect(wrongType?.name == .invalidArgs)
            let unknown = await dbusError { _ = try await read("Colour") }
            #expect(unknown?.name == .unknownProperty)
        }
    }

    @Test("A call to an object that does not exist gets the reason that was set, else UnknownObject")
    func absence() async throws {
        try await withTwoConnections { _, server, client in
            server.objects.insert([Self.lamp(SharedValue())], at: "/lamp")
            server.objects.setAbsenceReason { path in
                path == "/lamp" || path == "/broken" ? .failure("org.example.Broken", "\(path) is broken") : nil
            }
            let (owner, lamp): (BusName, InterfaceName) = (server.uniqueName, "org.example.Lamp1")
            let read: @Sendable (ObjectPath) async -> DBusError? = { path in
                await dbusError { _ = try await client.property(of: owner, at: path, interface: lamp, name: "Name") }
            }
            #expect(await read("/lamp") == nil)
            #expect(await read("/broken")?.name == "org.example.Broken")
            #expect(await read("/other")?.name == .unknownObject)
            server.objects.remove(at: "/lamp")
            let call = MethodCall(destination: owner, path: "/lamp", interface: lamp, member: "Light", arguments: [])
            let error = await dbusError { _ = try await client.call(call) }
            #expect(error?.name == "org.example.Broken")
            #expect(error?.message == "/lamp is broken")
        }
    }

    @Test("An object manager signals which objects are added and removed, and lists the present ones")
    func objectManager() async throws {
        try await withTwoConnections { _, server, client in
            server.objects.insertObjectManager(at: "/home")
            let rule = MatchRule(sender: server.uniqueName, path: "/home", interface: .objectManager)
            try await client.withSignals(rule) { signals in
                server.objects.insert([Self.lamp(SharedValue())], at: "/home/a")
                server.objects.insert([Self.lamp(SharedValue())], at: "/elsewhere")
                let properties: [String: Value] = ["Name": .string("desk"), "Brightness": .uint32(5)]
                let added = try await signals.first(1)[0]
                #expect(added.member == "InterfacesAdded")
                #expect(added.arguments[0] == .objectPath("/home/a"))
                #expect(added.arguments[1].type.description == "a{sa{sv}}")
                let interfaces = try #require(added.arguments[1].stringDictionary)
                #expect(interfaces.mapValues(\.stringDictionary) == ["org.example.Lamp1": properties])

                let list = MethodCall(
                    destination: server.uniqueName,
                    path: "/home",
                    interface: .objectManager,
                    member: "GetManagedObjects"
                )
                let answer = try await client.call(list)
                let objects = try answer.decode(at: 0, as: [ObjectPath: [String: [String: Value]]].self)
                #expect(objects == ["/home/a": ["org.example.Lamp1": properties]])

                server.objects.remove(at: "/home/a")
                let removed = try await signals.first(1)[0]
                #expect(removed.member == "InterfacesRemoved")
                #expect(removed.arguments == [.objectPath("/home/a"), ["org.example.Lamp1"].value])
            }
        }
    }

    @Test("PropertiesChanged has the interface, the new values and the names of invalidated properties")
    func propertiesChanged() async throws {
        try await withTwoConnections { _, server, client in
            try await client.withSignals(MatchRule(interface: .properties)) { signals in
                server.objects.propertiesChanged(
                    at: "/lamp",
                    interface: "org.example.Lamp1",
                    ["Brightness": .uint32(1)],
                    invalidated: ["Name"]
                )
                let signal = try await signals.first(1)[0]
                #expect(signal.path == "/lamp")
                #expect(signal.member == "PropertiesChanged")
                #expect(
                    signal.arguments == [
                        .string("org.example.Lamp1"), ["Brightness": Value.uint32(1)].value, ["Name"].value,
                    ]
                )
            }
        }
    }

    @Test("An object path above other objects can be introspected, and lists its children")
    func children() async throws {
        try await withTwoConnections { _, server, client in
            for path in ["/org/b/x", "/org/a", "/org/b/y"] {
                server.objects.insert([Self.lamp(SharedValue())], at: try ObjectPath(path))
            }
            let introspect = MethodCall(
                destination: server.uniqueName,
                path: "/org",
                interface: .introspectable,
                member: "Introspect"
            )
            let text = try await client.call(introspect).decode(at: 0, as: String.self)
            #expect(text.contains("  <node name=\"a\"/>\n  <node name=\"b\"/>\n</node>\n"))
        }
    }

    @Test("The introspection data of an interface are the expected XML text")
    func introspection() {
        let interface = Interface(
            name: "org.example.Golden1",
            methods: [
                Method(
                    name: "Do",
                    inputs: [Argument(name: "what", type: .string)],
                    outputs: [Argument(name: "done", type: .dictionary(key: .string, value: .variant))],
                    annotations: ["org.example.Note": "a < b & \"c\""]
                ) { _ in .reply([]) },
                Method(name: "Rest") { _ in .reply([]) },
            ],
            properties: [
                Property(name: "A", type: .array(.string), get: { [String]().value }),
                Property(name: "B", type: .byte, changes: .invalidated, get: { .byte(1) }, set: { _, _ in .reply([]) }),
                Property(name: "C", type: .byte, changes: .constant, get: { .byte(1) }),
                Property(name: "D", type: .byte, changes: .silent, get: { .byte(1) }),
            ],
            signals: [SignalDescription(name: "Happened", arguments: [Argument(name: "at", type: .uint64)])],
            annotations: ["org.freedesktop.DBus.Deprecated": "true"]
        )
        #expect(ObjectTree.introspectionXML(interfaces: [interface], children: ["child"]) == golden)
    }
}

private let golden = #"""
    <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
     "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
    <node>
      <interface name="org.example.Golden1">
        <method name="Do">
          <arg name="what" type="s" direction="in"/>
          <arg name="done" type="a{sv}" direction="out"/>
          <annotation name="org.example.Note" value="a &lt; b &amp; &quot;c&quot;"/>
        </method>
        <method name="Rest"/>
        <signal name="Happened">
          <arg name="at" type="t"/>
        </signal>
        <property name="A" type="as" access="read"/>
        <property name="B" type="y" access="readwrite">
          <annotation name="org.freedesktop.DBus.Property.EmitsChangedSignal" value="invalidates"/>
        </property>
        <property name="C" type="y" access="read">
          <annotation name="org.freedesktop.DBus.Property.EmitsChangedSignal" value="const"/>
        </property>
        <property name="D" type="y" access="read">
          <annotation name="org.freedesktop.DBus.Property.EmitsChangedSignal" value="false"/>
        </property>
        <annotation name="org.freedesktop.DBus.Deprecated" value="true"/>
      </interface>
      <node name="child"/>
    </node>

    """#
