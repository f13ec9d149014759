import DBus
import HandoffTestSupport
import Synchronization
import TestLimits
import Testing

@Suite("Who may call, and for whom an object exists", .endsWithin(minutes: 10, instances: 1))
struct AdmissionTests {
    /// The calls that a connection performs, and a decision about its callers that a test makes.
    private final class Gate: Sendable {
        let performed = Mutex<[String]>([])
        let judged = Mutex<[BusName]>([])
        let isAsked = Event()
        let decision = AsyncStream<CallerVerdict>.makeStream()

        func export(on connection: Connection) {
            connection.objects.admitCallers { [self] caller in
                judged.withLock { $0.append(caller) }
                isAsked.happen()
                for await verdict in decision.stream { return verdict }
                return .admitted
            }
            connection.export("Note", [.string], [.string]) { [self] call in
                let text = try call.arguments.decode(at: 0, as: String.self)
                performed.withLock { $0.append(text) }
                return .reply([.string(text)])
            }
        }
    }

    private static let refusal = DBusError.failure("org.example.Error.Refused", "no")

    @Test("Calls wait until their caller is admitted, are then performed in their order, and it is judged once")
    func admitted() async throws {
        try await withTwoConnections { _, server, client in
            let gate = Gate()
            gate.export(on: server)
            for number in 0..<50 { client.send(testCall("Note", of: server.uniqueName, [.string("\(number)")])) }
            await gate.isAsked.wait()
            #expect(gate.performed.withLock { $0 }.isEmpty)
            gate.decision.continuation.yield(.admitted)
            _ = try await client.callTest("Note", of: server.uniqueName, [.string("last")])
            #expect(gate.performed.withLock { $0 } == (0..<50).map(String.init) + ["last"])
            #expect(gate.judged.withLock { $0 } == [client.uniqueName])
        }
    }

    @Test("All calls of a refused caller are answered with the error, those of the standard interfaces included")
    func refused() async throws {
        try await withTwoConnections { bus, server, client in
            let gate = Gate()
            gate.export(on: server)
            server.objects.insertObjectManager(at: testPath)
            client.send(testCall("Note", of: server.uniqueName, [.string("first")]))
            gate.decision.continuation.yield(.refused(Self.refusal))
            let calls: [(InterfaceName, MemberName, [Value])] = [
                (testInterface, "Note", [.string("second")]),
                ("org.freedesktop.DBus.Introspectable", "Introspect", []),
                ("org.freedesktop.DBus.Properties", "GetAll", [.string("")]),
                ("org.freedesktop.DBus.ObjectManager", "GetManagedObjects", []),
                ("org.freedesktop.DBus.Peer", "Ping", []),
            ]
            for (interface, member, arguments) in calls {
                let call = MethodCall(
                    destination: server.uniqueName,
                    path: testPath,
                    interface: interface,
                    member: member,
                    arguments: arguments
                )
                let error = await dbusError { _ = try await client.call(call) }
                #expect(error?.name == Self.refusal.name, "\(member)")
            }
            #expect(gate.performed.withLock { $0 }.isEmpty)
            // Another caller is judged for itself.
            gate.decision.continuation.yield(.admitted)
            try await Connection.withConnection(to: bus.address) { other in
                _ = try await other.callTest("Note", of: server.uniqueName, [.string("other")])
            }
            #expect(gate.performed.withLock { $0 } == ["other"])
        }
    }

    @Test("A caller that could not be judged is judged again at its next call, and what waited fails meanwhile")
    func undecided() async throws {
        try await withTwoConnections { _, server, client in
            let gate = Gate()
            gate.export(on: server)
            gate.decision.continuation.yield(.undecided(Self.refusal))
            let error = await dbusError { _ = try await client.callTest("Note", of: server.uniqueName, [.string("1")]) }
            #expect(error?.name == Self.refusal.name)
            gate.decision.continuation.yield(.admitted)
            _ = try await client.callTest("Note", of: server.uniqueName, [.string("2")])
            _ = try await client.callTest("Note", of: server.uniqueName, [.string("3")])
            #expect(gate.performed.withLock { $0 } == ["2", "3"])
            #expect(gate.judged.withLock { $0 } == [client.uniqueName, client.uniqueName])
        }
    }

    @Test("A call whose caller leaves before it is admitted is not performed")
    func left() async throws {
        try await withTwoConnections { bus, server, client in
            let gate = Gate()
            gate.export(on: server)
            let gone = try await Connection.withConnection(to: bus.address) { caller in
                caller.send(testCall("Note", of: server.uniqueName, [.string("gone")]))
                await gate.isAsked.wait()
                return caller.uniqueName
            }
            try await server.withOwner(of: gone) { owners in
                for await owner in owners where owner == nil { break }
            }
            gate.decision.continuation.yield(.refused(Self.refusal))
            gate.decision.continuation.yield(.admitted)
            _ = try await client.callTest("Note", of: server.uniqueName, [.string("here")])
            #expect(gate.performed.withLock { $0 } == ["here"])
        }
    }

    @Test("An object for one client exists for that one only, and so do its announcement and the path above it")
    func oneClient() async throws {
        try await withTwoConnections { bus, server, owner in
            try await Connection.withConnection(to: bus.address) { other in
                server.objects.insertObjectManager(at: "/objects")
                let light = Interface(
                    name: "org.example.Light1",
                    methods: [Method(name: "Toggle") { _ in .reply([]) }],
                    properties: [Property(name: "On", type: .boolean) { .boolean(true) }]
                )
                let rule = MatchRule(pathNamespace: "/objects")
                try await owner.withSignals(rule) { own in
                    try await other.withSignals(rule) { foreign in
                        server.objects.insert([light], at: "/objects/below/7", for: owner.uniqueName)
                        server.objects.propertiesChanged(
                            at: "/objects/below/7",
                            interface: "org.example.Light1",
                            ["On": .boolean(false)],
                            for: owner.uniqueName
                        )
                        server.objects.remove(at: "/objects/below/7")
                        server.emit(Signal(path: "/objects", interface: "org.example.Light1", member: "End"))
                        let members = try await own.first(4).map(\.member.description)
                        #expect(members == ["InterfacesAdded", "PropertiesChanged", "InterfacesRemoved", "End"])
                        #expect(try await foreign.first(1).map(\.member.description) == ["End"])
                    }
                }
                server.objects.insert([light], at: "/objects/below/8", for: owner.uniqueName)
                for (client, exists) in [(owner, true), (other, false)] {
                    #expect(try await Self.answers(client, server.uniqueName) == Array(repeating: exists, count: 5))
                }
            }
        }
    }

    /// Whether a client finds the object in each way in which objects are found.
    private static func answers(_ client: Connection, _ server: BusName) async throws -> [Bool] {
        func call(
            _ path: ObjectPath,
            _ interface: InterfaceName,
            _ member: MemberName,
            _ arguments: [Value] = []
        ) async -> [Value]? {
            let call = MethodCall(
                destination: server,
                path: path,
                interface: interface,
                member: member,
                arguments: arguments
            )
            return try? await client.call(call)
        }
        let properties: InterfaceName = "org.freedesktop.DBus.Properties"
        let light: ObjectPath = "/objects/below/8"
        let tree = await call("/objects", "org.freedesktop.DBus.Introspectable", "Introspect")
        let objects = await call("/objects", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")
        return [
            await call(light, "org.example.Light1", "Toggle") != nil,
            await call(light, properties, "Get", [.string("org.example.Light1"), .string("On")]) != nil,
            await call("/objects/below", "org.freedesktop.DBus.Introspectable", "Introspect") != nil,
            tree?.first?.string?.contains(#"<node name="below""#) == true,
            objects?.first?.hasKey(light) == true,
        ]
    }
}

extension Value {
    /// Whether a dictionary has that path as a key.
    fileprivate func hasKey(_ path: ObjectPath) -> Bool {
        guard case .dictionary(_, _, let entries) = self else { return false }
        return entries.contains { $0.key == .objectPath(path) }
    }
}
