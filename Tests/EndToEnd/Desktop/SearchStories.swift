import DBus
import Foundation
import HandoffBus
import HandoffTestSupport
import TestLimits
import Testing

@Suite("Nearby activities are found where one searches, and by keys", .endsWithin(minutes: 15, instances: 4))
struct SearchStories {
    private static let app: @Sendable (World) throws -> Void = {
        try $0.writeApp("org.example.Editor", "DBusActivatable=true")
    }

    private static func call(
        _ interface: InterfaceName,
        _ member: MemberName,
        _ arguments: [Value],
        over connection: Connection
    ) async throws -> [Value] {
        let call = MethodCall(
            destination: HandoffName.desktop,
            path: "/org/handoffd/Desktop1",
            interface: interface,
            member: member,
            arguments: arguments
        )
        return try await connection.call(call)
    }

    /// Runs `body` with a client on the desktop's bus, once an activity of the laptop can be found.
    private static func run(
        _ body: @escaping @Sendable (Connection, OptionsApp) async throws -> Void
    ) async throws {
        let app = OptionsApp()
        try await World.runApps(Self.app) { world, laptop, desktop in
            try await app.whileOnBus(on: desktop.bus) {
                try await laptop.publishing("org.example.edit") { _ in
                    _ = try await desktop.watchingOnce()
                    // There is no panel: a search works without one.
                    try await desktop.bus.withDesktop(in: world) { _ in
                        try await desktop.bus.waitForOwner(of: HandoffName.desktop)
                        try await Connection.withConnection(to: desktop.bus.address) { try await body($0, app) }
                    }
                }
            }
        }
    }

    @Test("GNOME Shell finds an activity by app and device, describes it, and continues it")
    func gnome() async throws {
        let interface: InterfaceName = "org.gnome.Shell.SearchProvider2"
        try await Self.run { connection, app in
            let call: @Sendable (MemberName, [Value]) async throws -> [Value] = {
                try await Self.call(interface, $0, $1, over: connection)
            }
            let ids = try await call("GetInitialResultSet", [["lap"].value]).decode(at: 0, as: [String].self)
            #expect(ids.count == 1)
            #expect(try await call("GetSubsearchResultSet", [ids.value, ["lap", "edi"].value]) == [ids.value])
            #expect(try await call("GetSubsearchResultSet", [ids.value, ["nothing"].value]) == [[String]().value])
            let metas = try await call("GetResultMetas", [(ids + ["/gone"]).value])[0].array ?? []
            #expect(metas.count == 1)
            #expect(metas.first?.stringDictionary?["name"] == .string("Editor"))
            #expect(metas.first?.stringDictionary?["description"] == .string("Continue from laptop"))
            _ = try await call("ActivateResult", [.string("/gone"), ["x"].value, .uint32(0)])
            _ = try await call("ActivateResult", [.string(ids[0]), ["lap"].value, .uint32(0)])
            #expect(await app.next() == "WillContinue ")
            #expect(await app.next() == "Continue ")
        }
    }

    @Test("Of all results, GNOME Shell has the window show them, which is opened; where there is none, that is told")
    func allResults() async throws {
        let notifications = FakeNotificationServer("body")
        try await World.run { world in
            let (data, pipe) = (world.directory.appending(path: "data"), world.directory.appending(path: "pipe"))
            try #require(mkfifo(pipe.path(), 0o600) == 0)
            try await withPrivateBus { bus in
                try await notifications.whileOnBus(on: bus) { connection in
                    try await bus.withDesktop(in: world, ["XDG_DATA_DIRS": data.path()]) { _ in
                        try await bus.waitForOwner(of: HandoffName.desktop)
                        let launch: @Sendable () async throws -> Void = {
                            let arguments = [["lap"].value, .uint32(42)]
                            let interface: InterfaceName = "org.gnome.Shell.SearchProvider2"
                            let reply = try await Self.call(interface, "LaunchSearch", arguments, over: connection)
                            #expect(reply.isEmpty)
                        }
                        try await launch()
                        try await notifications.next("Could not open the window")
                        let command = "/bin/sh -c \"echo opened > \(pipe.path())\""
                        try world.write(
                            "[Desktop Entry]\nType=Application\nName=Handoff\nExec=\(command)\n",
                            to: "data/applications/org.handoffd.Window.desktop"
                        )
                        try await launch()
                        #expect(try await HandoffTestSupport.run("/bin/cat", [pipe.path()]).stdout == "opened\n")
                    }
                }
            }
        }
    }

    @Test("KRunner finds an activity by the word Handoff, and continues it with its token")
    func krunner() async throws {
        let interface: InterfaceName = "org.kde.krunner1"
        try await Self.run { connection, app in
            let call: @Sendable (MemberName, [Value]) async throws -> [Value] = {
                try await Self.call(interface, $0, $1, over: connection)
            }
            #expect(try await call("Actions", []).first?.array?.isEmpty == true)
            #expect(try await call("Match", [.string("zzz")]).first?.array?.isEmpty == true)
            let match = try #require(try await call("Match", [.string("handoff edi")]).first?.array?.first?.structure)
            #expect(match[1] == .string("Editor"))
            #expect(match[5].stringDictionary?["subtext"] == .string("Continue from laptop"))
            _ = try await call("SetActivationToken", [.string("token-2")])
            _ = try await call("Run", [match[0], .string("")])
            #expect(await app.next() == "WillContinue token-2")
            #expect(await app.next() == "Continue token-2")
            _ = try await call("Teardown", [])
        }
    }

    @Test("A shortcut is bound when the user wants it, continues the nearest activity, and is kept by the portal")
    func shortcut() async throws {
        let (app, portal) = (OptionsApp(), FakeShortcutPortal())
        try await World.runApps(Self.app) { world, laptop, desktop in
            try await app.whileOnBus(on: desktop.bus) {
                try await TrayHost.whileOnBus(on: desktop.bus) { host in
                    try await desktop.bus.withDesktop(in: world) { _ in
                        let item = try await host.item()
                        try await portal.whileOnBus(on: desktop.bus) { _ in
                            try await item.click("Set a keyboard shortcut…")
                            try await item.until(label: "Keyboard shortcut: Super+H")
                            let calls = [await portal.next(), await portal.next(), await portal.next()]
                            #expect(calls == ["CreateSession", "ListShortcuts", "BindShortcuts"])
                        }
                        portal.change(to: "Super+I")
                        try await portal.whileOnBus(on: desktop.bus) { connection in
                            try await item.until(label: "Keyboard shortcut: Super+I")
                            portal.change(to: "Super+J", over: connection)
                            try await item.until(label: "Keyboard shortcut: Super+J")
                            try await laptop.publishing("org.example.edit") { _ in
                                try await item.until(label: "Editor from laptop")
                                portal.press("another", token: "no", over: connection)
                                portal.press("continue-nearest", token: "token-3", over: connection)
                                #expect(await app.next() == "WillContinue token-3")
                                #expect(await app.next() == "Continue token-3")
                            }
                        }
                    }
                }
            }
        }
    }
}
