import DBus
import Foundation
import HandoffBus
import HandoffModel
import HandoffTestSupport
import TestLimits
import Testing

@Suite("What programs in a sandbox may do", .endsWithin(minutes: 15, instances: 5))
struct SandboxStories {
    @Test("A program in a Flatpak's sandbox publishes an activity, and every call to the name for control is refused")
    func flatpak() async throws {
        try await World.runPair { world, laptop, desktop in
            let card = try await laptop.json("devices", "card")["card"].string
            let owner = try await laptop.connected { client in
                try #require(try await client.connection.owner(of: HandoffName.control))
            }
            let arguments =
                try world.writeSandboxedProgram() + [laptop.bus.address.description, owner.description, card]
            try await withTranscript(of: "/usr/bin/python3", arguments) { _, output in
                try await output.line(containing: "end")
                let activity = try await desktop.connected { user in
                    try await user.fetchActivity(try await desktop.watchingOnce())
                }
                #expect(activity.type.rawValue == "org.example.sandboxed")
                let answers = output.lines.filter { $0.hasPrefix("answer ") }
                #expect(answers.count == 12)
                for answer in answers {
                    #expect(answer.contains(" org.handoffd.Error.CallerSandboxed "), "\(answer)")
                    #expect(answer.contains("runs in the sandbox of Flatpak"))
                }
            }
            try await laptop.log.event("client.refused")
            #expect(try await laptop.json("devices", "list").array.count == 1)
        }
    }

    @Test("Under the name for apps, nobody gets what is not for apps, and each error says where it is")
    func administration() async throws {
        try await World.run { world in
            try await world.withDevice("laptop") { laptop in
                try await laptop.connected { app in
                    let calls: [(InterfaceName, MemberName, [Value])] = [
                        (HandoffName.managerInterface, "Card", [.noOptions]),
                        (HandoffName.managerInterface, "TrustCard", [.string(""), .noOptions]),
                        (HandoffName.managerInterface, "Leave", [.noOptions]),
                        (HandoffName.managerInterface, "Rename", [.string("x"), .noOptions]),
                        (HandoffName.managerInterface, "StartLooking", [.noOptions]),
                        (HandoffName.managerInterface, "SetFocus", [.uint32(1), .noOptions]),
                        (HandoffName.pairingInterface, "Pair", [.objectPath("/a"), .noOptions]),
                        (HandoffName.documentsInterface, "AddFolder", [.string("a"), .string("/"), .noOptions]),
                        (HandoffName.appsInterface, "ListApps", [.noOptions]),
                    ]
                    for (interface, member, arguments) in calls {
                        let outcome = await Result {
                            try await app.callAsApp(HandoffName.root, interface, member, arguments)
                        }
                        #expect(outcome.errorName == "NotForApps", "\(member)")
                        #expect(outcome.errorMessage.contains("org.handoffd.Control1"))
                    }
                    let manager = try await app.connection.properties(
                        of: HandoffName.bus,
                        at: HandoffName.root,
                        interface: HandoffName.managerInterface
                    )
                    #expect(Set(manager.keys) == ["Version", "ProtocolVersion", "RadioState"])
                    let list = await Result {
                        try await app.callAsApp(
                            HandoffName.root,
                            "org.freedesktop.DBus.ObjectManager",
                            "GetManagedObjects",
                            []
                        )
                    }
                    #expect(list.errorName == "UnknownInterface")
                }
            }
        }
    }

    @Test("Under the name for apps, an activity exists for its app only, and its signals reach nobody else")
    func othersActivities() async throws {
        try await World.runPair { _, laptop, desktop in
            try await laptop.connected { app in
                try await laptop.connected { other in
                    let sender = try #require(try await app.connection.owner(of: HandoffName.bus))
                    let everything = MatchRule(pathNamespace: HandoffName.root)
                    try await app.connection.withSignals(everything) { own in
                        try await other.connection.withSignals(everything) { foreign in
                            let path = try await Self.publish(over: app)
                            let entry = try await desktop.watchingOnce()
                            _ = try await desktop.connected { try await $0.fetchActivity(entry, for: .take) }
                            let members = try await own.members(from: sender, until: "Fetched")
                            #expect(members == ["PropertiesChanged", "PropertiesChanged", "Fetched"])
                            // What the daemon has sent before its answer has arrived before it.
                            _ = try await other.callAsApp(HandoffName.root, "org.freedesktop.DBus.Peer", "Ping", [])
                            app.connection.emit(Signal(path: HandoffName.root, interface: "org.example", member: "End"))
                            let end = app.connection.uniqueName
                            #expect(try await foreign.members(from: sender, until: "End", of: end).isEmpty)
                            for (interface, member) in [
                                (HandoffName.activityInterface, "BecomeCurrent"),
                                (HandoffName.activityInterface, "Invalidate"),
                            ] as [(InterfaceName, MemberName)] {
                                let outcome = await Result {
                                    try await other.callAsApp(path, interface, member, [.noOptions])
                                }
                                #expect(outcome.errorName == "UnknownObject")
                            }
                            let title = await Result { try await other.title(of: path) }
                            #expect(title.errorName == "UnknownObject")
                            #expect(try await app.title(of: path) == "Secret")
                        }
                    }
                }
            }
        }
    }

    @Test("Nothing of what is nearby, continued, trusted or paired is sent from the connection for apps")
    func otherDevices() async throws {
        try await World.runPair { _, laptop, desktop in
            try await desktop.connected { app in
                let sender = try #require(try await app.connection.owner(of: HandoffName.bus))
                try await app.connection.withSignals(MatchRule(sender: sender)) { signals in
                    try await laptop.publishing("org.example.edit") { _ in
                        try await desktop.watching { _ = try await $0.one() }
                        #expect(try await desktop.run("continue").status == 1)
                        _ = try await desktop.json("continue", "--print", "--take")
                        _ = try await desktop.json("devices", "rename", "desktop", "desk")
                        let device = HandoffName.device(try await laptop.id)
                        try await desktop.connected { client in
                            try await client.pair(agent: "/org/example/agent")
                            try await client.remove(device: device)
                        }
                        try await desktop.log.event("pairing.began")
                        // An activity of its own, so that there is something to end with.
                        _ = try await Self.publish(over: app)
                        var members: [String] = []
                        for try await signal in signals {
                            members.append("\(signal.path.lastElement) \(signal.member)")
                            if signal.path.lastElement == "1" { break }
                        }
                        #expect(members == ["1 PropertiesChanged"])
                    }
                }
            }
        }
    }

    private static func publish(over app: HandoffClient) async throws -> ObjectPath {
        let properties: [String: Value] = ["Title": .string("Draft")]
        let arguments: [Value] = [.string("org.example.edit"), properties.value, .noOptions]
        let reply = try await app.callAsApp(
            HandoffName.root,
            HandoffName.managerInterface,
            "CreateActivity",
            arguments
        )
        let path = try reply.decode(at: 0, as: ObjectPath.self)
        _ = try await app.callAsApp(path, HandoffName.activityInterface, "BecomeCurrent", [.noOptions])
        try await app.connection.setProperty(
            of: HandoffName.bus,
            at: path,
            interface: HandoffName.activityInterface,
            name: "Title",
            to: .string("Secret")
        )
        return path
    }
}

extension HandoffClient {
    /// Calls the daemon under its name for apps, or another one.
    @discardableResult
    func callAsApp(
        _ path: ObjectPath,
        _ interface: InterfaceName,
        _ member: MemberName,
        _ arguments: [Value],
        to name: BusName = HandoffName.bus
    ) async throws -> [Value] {
        try await connection.call(
            MethodCall(
                destination: name,
                path: path,
                interface: interface,
                member: member,
                arguments: arguments
            )
        )
    }

    fileprivate func title(of activity: ObjectPath) async throws -> String? {
        try await connection.property(
            of: HandoffName.bus,
            at: activity,
            interface: HandoffName.activityInterface,
            name: "Title"
        ).string
    }
}

extension SignalSequence {
    /// The members of the signals of one sender, until a signal with that member of that sender or another has come.
    fileprivate func members(
        from sender: BusName,
        until last: MemberName,
        of other: BusName? = nil
    ) async throws -> [String] {
        var members: [String] = []
        for try await signal in self {
            if signal.sender == sender { members.append(signal.member.description) }
            if signal.member == last, signal.sender == other ?? sender { break }
        }
        return members
    }
}

extension World {
    /// Writes a program that connects to the bus and enters a sandbox as Flatpak marks it; returns its arguments, which
    /// the address of the bus, the unique name of the connection for control, and a card have to follow.
    ///
    /// It publishes an activity under the name for apps; then it prints `answer MEMBER ERROR MESSAGE` for each of its
    /// calls to the name for control, and `end`.
    fileprivate func writeSandboxedProgram() throws -> [String] {
        try write("[Application]\nname=org.example.Sandboxed\n", to: "sandbox/.flatpak-info")
        try write(Self.sandboxedProgram, to: "sandboxed.py")
        return [directory.appending(path: "sandboxed.py").path(), directory.appending(path: "sandbox").path()]
    }

    private static let sandboxedProgram = """
        import ctypes, os, signal, sys
        import dbus, dbus.bus, dbus.lowlevel

        root, address, owner, card = sys.argv[1:]
        bus = dbus.bus.BusConnection(address)
        # Whoever is not root needs a user namespace (CLONE_NEWUSER) to change its root directory, as Flatpak does.
        if os.geteuid() != 0 and ctypes.CDLL(None).unshare(0x10000000) != 0:
            sys.exit("no user namespaces")
        os.chroot(root)
        os.chdir("/")

        APPS, CONTROL, OBJECT = "org.handoffd.Handoff1", "org.handoffd.Control1", "/org/handoffd/Handoff1"
        NONE = dbus.Dictionary({}, signature="sv")

        path = bus.call_blocking(
            APPS, OBJECT, "org.handoffd.Manager1", "CreateActivity", "sa{sv}a{sv}", ("org.example.sandboxed", NONE, NONE))
        bus.call_blocking(APPS, path, "org.handoffd.Activity1", "BecomeCurrent", "a{sv}", (NONE,))

        # A call that waits for no answer has no effect either.
        silent = dbus.lowlevel.MethodCallMessage(CONTROL, OBJECT, "org.handoffd.Manager1", "Leave")
        silent.append(NONE, signature="a{sv}")
        silent.set_no_reply(True)
        bus.send_message(silent)

        for name in [CONTROL, owner]:
            for interface, member, signature, arguments in [
                ("org.handoffd.Manager1", "TrustCard", "sa{sv}", (card, NONE)),
                ("org.handoffd.Manager1", "Leave", "a{sv}", (NONE,)),
                ("org.handoffd.Pairing1", "Pair", "oa{sv}", (dbus.ObjectPath("/agent"), NONE)),
                ("org.freedesktop.DBus.Properties", "GetAll", "s", ("org.handoffd.Manager1",)),
                ("org.freedesktop.DBus.ObjectManager", "GetManagedObjects", "", ()),
                ("org.freedesktop.DBus.Introspectable", "Introspect", "", ()),
            ]:
                try:
                    bus.call_blocking(name, OBJECT, interface, member, signature, arguments)
                    print("answer", member, "performed", flush=True)
                except dbus.DBusException as error:
                    print("answer", member, error.get_dbus_name(), error.get_dbus_message(), flush=True)
        print("end", flush=True)
        signal.pause()
        """
}
