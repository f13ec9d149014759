import DBus
import Foundation
import HandoffBus
import HandoffTestSupport
import TestLimits
import Testing

@Suite("The examples in Docs/dbus run as they are written", .endsWithin(minutes: 15, instances: 4))
struct ExampleStories {
    @Test("The first program publishes an activity until Enter is pressed")
    func first() async throws {
        try await World.run { world in
            try await world.withDevice("laptop") { laptop in
                let program = try #require(try Repository.pythonBlocks(in: "Docs/dbus/README.md").first)
                try world.write(program, to: "first.py")
                let path = world.directory.appending(path: "first.py").path()
                try await Terminal.run("/usr/bin/python3", [path], environment: laptop.bus.environment) { terminal in
                    try await laptop.connected { client in
                        let activity = try await client.first { () -> HandoffObjects.LocalActivity? in
                            let activity = try await client.objects().activities.first
                            return activity?.properties["Current"] == .boolean(true) ? activity : nil
                        }
                        #expect(activity.properties["Type"] == .string("org.example.editor.editing"))
                        #expect(activity.properties["UserInfo"] == ["line": Value.int64(12)].value)
                    }
                    terminal.type("")
                    #expect(await terminal.process.exitStatus() == 0)
                }
            }
        }
    }

    @Test("The parts of a program create, change and end an activity, save it, and exchange a stream")
    func parts() async throws {
        try await World.runPair { world, laptop, desktop in
            try world.write(Self.origin(), to: "origin.py")
            try world.write(Self.receiver(removing: await laptop.id), to: "receiver.py")
            let (origin, receiver) = ("origin.py", "receiver.py")
            try await Self.python(origin, on: laptop, world) { _, here in
                try await here.line(containing: "ended Draft, second page")
                try await here.line(containing: "published")
                // The first activity, which has ended, may have been heard before the second one.
                try await desktop.fetchNearest()
                #expect(try await desktop.run("continue", "--print").status == 0)
                try await Self.python(receiver, on: desktop, world) { process, there in
                    try await there.line(containing: "line 7, hello")
                    try await here.line(containing: "desktop goes on with it")
                    #expect(await process.exitStatus() == 0)
                    try await desktop.connected { client in
                        let devices = try await client.objects().devices
                        #expect(devices.isEmpty, "the example of Device1 removes the device")
                    }
                }
            }
        }
    }

    @Test(
        "The commands of busctl and gdbus succeed",
        arguments: ["Manager1": 3, "Activity1": 3, "NearbyActivity1": 3, "Device1": 2, "Rules1": 1]
    )
    func commands(_ page: String, _ count: Int) async throws {
        let commands = try Repository.commands(["busctl", "gdbus"], in: "Docs/dbus/\(page).md")
        #expect(commands.count == count)
        try await World.runPair { _, laptop, desktop in
            try await laptop.publishing("org.example.edit", ["--title", "Draft"]) { _ in
                try await desktop.watching { _ = try await $0.one() }
                let device = page == "NearbyActivity1" ? desktop : laptop
                let other = try await desktop.id
                // `gdbus monitor` goes on until it is interrupted.
                for command in commands where !command.contains("gdbus monitor") {
                    let line = command.replacing("0123456789abcdef", with: other)
                    let result = try await run("/bin/sh", ["-c", line], environment: device.bus.environment)
                    #expect(result.status == 0, "\(line): \(result.stderr)")
                }
            }
        }
    }

    @Test("No page has an example that is not run here")
    func complete() throws {
        let examples = try Repository.pages(in: "Docs/dbus").filter { page in
            let commands = try Repository.commands(["busctl", "gdbus"], in: page)
            return try !commands.isEmpty || !Repository.pythonBlocks(in: page).isEmpty
        }
        let run = ["ActivityDelegate1", "Activity1", "Device1", "Manager1", "NearbyActivity1", "README", "Rules1"]
        #expect(Set(examples) == Set(run.map { "Docs/dbus/\($0).md" }))
    }

    /// What every part of a program needs.
    private static let beginning = """
        import socket
        import struct
        import threading
        import dbus
        import dbus.mainloop.glib
        import dbus.service
        from gi.repository import GLib

        dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
        bus = dbus.SessionBus()
        daemon = bus.get_object("org.handoffd.Handoff1", "/org/handoffd/Handoff1")
        manager = dbus.Interface(daemon, "org.handoffd.Manager1")

        """

    /// The parts for the app of an activity: of Manager1, Activity1 and ActivityDelegate1.
    private static func origin() throws -> String {
        let creating = try Repository.pythonBlocks(in: "Docs/dbus/Manager1.md")[0]
        let changing = try Repository.pythonBlocks(in: "Docs/dbus/Activity1.md")[0]
        let delegate = try Repository.pythonBlocks(in: "Docs/dbus/ActivityDelegate1.md").joined(separator: "\n")
        let ending = changing.replacing(
            "activity.Invalidate({})\n",
            with: """
                title = properties.Get("org.handoffd.Activity1", "Title")
                activity.Invalidate({})
                print("ended", title, flush=True)

                """
        )
        return beginning + creating + ending + delegate + """


            editor = Editor(bus, "/org/example/Editor")
            editor.line, editor.text = 7, b"hello"
            parts = {
                "Delegate": dbus.ObjectPath("/org/example/Editor"), "NeedsSave": True, "SupportsContinuationStreams": True,
            }
            path = manager.CreateActivity("org.example.editor.editing", parts, {})
            editor.activity = bus.get_object("org.handoffd.Handoff1", path)
            editor.activity.BecomeCurrent({}, dbus_interface="org.handoffd.Activity1")
            print("published", flush=True)
            GLib.MainLoop().run()

            """
    }

    /// The parts for a program on the device that continues: of NearbyActivity1, Manager1 and Device1.
    private static func receiver(removing device: String) throws -> String {
        let listing = try Repository.pythonBlocks(in: "Docs/dbus/NearbyActivity1.md")[0]
        let streaming = try Repository.pythonBlocks(in: "Docs/dbus/Manager1.md")[1]
        let removing = try Repository.pythonBlocks(in: "Docs/dbus/Device1.md")[0]
        return beginning + listing + """
            nearby = dbus.Interface(object, "org.handoffd.NearbyActivity1")
            manager = dbus.Interface(daemon, "org.handoffd.Manager1")

            """ + streaming + """
                line = activity["UserInfo"]["line"]
                print(f"line {line},", connection.makefile("rb").read().decode(), flush=True)

                """ + removing.replacing("0123456789abcdef", with: device)
    }

    private static func python(
        _ program: String,
        on device: Device,
        _ world: World,
        _ body: @escaping @Sendable (ChildProcess, Transcript) async throws -> Void
    ) async throws {
        let path = world.directory.appending(path: program).path()
        // What goes wrong in it is in its output, which a failed test shows.
        let command = ["-c", "exec /usr/bin/python3 -u '\(path)' 2>&1"]
        try await withTranscript(of: "/bin/sh", command, environment: device.bus.environment, body)
    }
}
