import DBus
import Foundation
import HandoffBus
import HandoffTestSupport
import TestLimits
import Testing

@Suite("handoff-desktop shows in the panel what can be continued", .endsWithin(minutes: 15, instances: 4))
struct TrayStories {
    private static let app: @Sendable (World) throws -> Void = {
        try $0.writeApp("org.example.Editor", "DBusActivatable=true")
    }

    @Test("An activity makes the item appear; a click continues it, with the panel's token; then the item hides again")
    func click() async throws {
        let app = OptionsApp()
        try await World.runApps(Self.app) { world, laptop, desktop in
            try await app.whileOnBus(on: desktop.bus) {
                try await TrayHost.whileOnBus(on: desktop.bus) { host in
                    try await desktop.bus.withDesktop(in: world) { _ in
                        let item = try await host.item()
                        try await item.until(status: "Passive")
                        #expect(try await item.property("ItemIsMenu") == .boolean(true))
                        #expect(try await item.property("IconName") == .string("org.handoffd.Handoff-symbolic"))
                        try await laptop.publishing("org.example.edit", ["--title", "Draft"]) { _ in
                            try await item.until(label: "Editor from laptop")
                            try await item.until(status: "Active")
                            try await item.open()
                            let entry = try await item.until { $0.label == "“Draft” – Editor from laptop" }
                            try await item.provideToken("token-1")
                            try await item.click(entry)
                            #expect(await app.next() == "WillContinue token-1")
                            #expect(await app.next() == "Continue token-1")
                        }
                        try await item.until(label: "No activity nearby")
                        try await item.until(status: "Passive")
                    }
                }
            }
        }
    }

    @Test("An activity that nothing here opens is listed with the reason; what cannot be continued or fails is told")
    func obstacles() async throws {
        let screen = FakeNotificationServer("actions", "body")
        try await World.runApps(Self.app) { world, laptop, desktop in
            try await screen.whileOnBus(on: desktop.bus) { _ in
                try await TrayHost.whileOnBus(on: desktop.bus) { host in
                    try await desktop.bus.withDesktop(in: world) { _ in
                        let item = try await host.item()
                        try await laptop.publishing("org.example.draw") { _ in
                            let entry = try await item.until { $0.label.hasSuffix("(no app here continues it)") }
                            #expect(!entry.isEnabled)
                            try await item.activateSecondarily()
                            try await screen.next("Nothing to continue")
                        }
                        try await laptop.publishing("org.example.edit") { _ in
                            let entry = try await item.until { $0.label == "Editor from laptop" }
                            laptop.signal(SIGKILL)
                            try await item.click(entry)
                            let failure = try await screen.next("Could not continue from laptop")
                            #expect(!failure.body.isEmpty)
                            #expect(failure.hints["desktop-entry"] == .string("org.handoffd.Handoff"))
                            try await item.until { $0.label.hasPrefix("Could not continue from laptop:") }
                        }
                    }
                }
            }
        }
    }

    @Test("The menu cancels what it continues")
    func cancel() async throws {
        let app = RecordingApp()
        try await World.runApps(Self.app) { world, laptop, desktop in
            try await app.whileOnBus(on: desktop.bus) {
                try await TrayHost.whileOnBus(on: desktop.bus) { host in
                    try await desktop.bus.withDesktop(in: world) { _ in
                        let item = try await host.item()
                        try await laptop.publishing("org.example.edit") { _ in
                            let entry = try await item.until { $0.label == "Editor from laptop" }
                            laptop.signal(SIGSTOP)
                            try await item.click(entry)
                            #expect(await app.next() == "WillContinue org.example.edit from laptop")
                            try await item.until(label: "Fetching an activity from laptop …")
                            try await item.click("Cancel fetching from laptop")
                            #expect(await app.next().hasSuffix("UserCancelled"))
                            try await item.until { $0.label == "Editor from laptop" && $0.isEnabled }
                            laptop.signal(SIGCONT)
                        }
                    }
                }
            }
        }
    }

    @Test("The menu pauses, resumes, and makes the device receive only")
    func rules() async throws {
        try await World.run { world in
            try await world.withDevice("desktop") { desktop in
                try await TrayHost.whileOnBus(on: desktop.bus) { host in
                    try await desktop.bus.withDesktop(in: world) { _ in
                        let item = try await host.item()
                        try await item.click("Pause for an hour")
                        try await item.until { $0.label.hasPrefix("Resume Handoff (paused until ") }
                        try await item.until(icon: "org.handoffd.Handoff-paused-symbolic")
                        #expect(try await desktop.json("status")["pausedUntil"].time != nil)
                        try await item.click("Resume Handoff")
                        try await item.click("Pause until resumed")
                        try await item.until(label: "Resume Handoff")
                        try await item.click("Receive only")
                        try await item.until { $0.properties["toggle-state"] == .int32(1) }
                        let status = try await desktop.json("status")
                        #expect(status["paused"].boolean == true && status["receiveOnly"].boolean == true)
                        // Without another device there is nothing to continue, which is said.
                        try await item.until { $0.label.hasPrefix("No device is trusted yet") }
                    }
                }
            }
        }
    }

    @Test("A daemon that is absent, killed or back is shown, and never started unasked")
    func daemon() async throws {
        try await World.run { world in
            try await withPrivateBus { bus in
                try await TrayHost.whileOnBus(on: bus) { host in
                    try await bus.withDesktop(in: world) { process in
                        let item = try await host.item()
                        try await item.until(label: "handoffd is not running.")
                        try await world.withDaemon("desktop", on: bus) { desktop in
                            try await item.until { $0.label == "Pair a device…" }
                            desktop.signal(SIGKILL)
                            try await item.until(label: "Start handoffd")
                        }
                        try await world.withDaemon("desktop", on: bus) { _ in
                            try await item.until { $0.label == "Pair a device…" }
                        }
                        kill(process.processID, SIGTERM)
                        #expect(await process.exitStatus() == 0)
                    }
                }
            }
        }
    }

    @Test("A daemon of another version, older in some and newer in other things, with a hundred entries of odd names")
    func otherVersion() async throws {
        try await World.run { world in
            try await withPrivateBus { bus in
                let environment = world.environment.merging(bus.environment) { $1 }
                let imitation = Repository.file("Tests/Window/imitation.py").path()
                try await TrayHost.whileOnBus(on: bus) { host in
                    try await bus.withDesktop(in: world) { _ in
                        let item = try await host.item()
                        try await withProgram("/usr/bin/python3", ["-B", imitation], environment: environment) { _ in
                            try await item.until { $0.label.hasPrefix("handoffd is version 99.0.0") }
                            let labels = try await item.menu().map(\.label)
                            #expect(labels.filter { $0.hasPrefix("and 80 more") }.count == 2)
                            #expect(labels.contains { $0.hasPrefix("<b>&amp;</b> – ") }, "a name is text")
                            #expect(!labels.contains { $0.contains("\u{202E}") || $0.contains("\n") })
                            // It knows no rules, so there is nothing to switch.
                            #expect(!labels.contains("Receive only"))
                        }
                        try await item.until(label: "handoffd is not running.")
                    }
                }
            }
        }
    }

    @Test("A daemon that does not answer is told, and shown once it answers")
    func silent() async throws {
        try await World.run { world in
            try await world.withDevice("desktop") { desktop in
                desktop.signal(SIGSTOP)
                try await TrayHost.whileOnBus(on: desktop.bus) { host in
                    try await desktop.bus.withDesktop(in: world) { _ in
                        let item = try await host.item()
                        try await item.until { $0.label.hasPrefix("handoffd does not answer") }
                        desktop.signal(SIGCONT)
                        try await item.until { $0.label == "Pair a device…" }
                    }
                }
            }
        }
    }

    @Test("The menu starts the daemon that the bus knows")
    func start() async throws {
        try await World.run { world in
            let services = world.directory.appending(path: "services")
            try FileManager.default.createDirectory(at: services, withIntermediateDirectories: true)
            try await withPrivateBus(services: services) { bus in
                try world.installDaemonService("desktop", on: bus.address)
                defer { world.endDaemon() }
                try await TrayHost.whileOnBus(on: bus) { host in
                    try await bus.withDesktop(in: world) { _ in
                        let item = try await host.item()
                        try await item.click("Start handoffd")
                        try await item.until { $0.label == "Pair a device…" }
                    }
                }
            }
        }
    }

    @Test("The menu opens the window where that is installed: by systemd, and without one by itself")
    func window() async throws {
        try await World.run { world in
            let (data, pipe) = (world.directory.appending(path: "data"), world.directory.appending(path: "pipe"))
            try #require(mkfifo(pipe.path(), 0o600) == 0)
            let command = "/bin/sh -c \"echo $XDG_ACTIVATION_TOKEN > \(pipe.path())\""
            try await withPrivateBus { bus in
                try await TrayHost.whileOnBus(on: bus) { host in
                    try await bus.withDesktop(in: world, ["XDG_DATA_DIRS": data.path()]) { _ in
                        let item = try await host.item()
                        #expect(try await !item.menu().contains { $0.label.hasPrefix("Open Handoff") })
                        try world.write(
                            "[Desktop Entry]\nType=Application\nName=Handoff\nExec=\(command)\n",
                            to: "data/applications/org.handoffd.Window.desktop"
                        )
                        try await item.open()
                        try await item.until { $0.label == "Open Handoff…" }
                        try await item.provideToken("token-3")
                        try await item.click("Open Handoff…")
                        #expect(try await run("/bin/cat", [pipe.path()]).stdout == "token-3\n")
                        let systemd = FakeSystemd(in: world.directory)
                        try await systemd.whileOnBus(on: bus) {
                            try await item.click("Open Handoff…")
                            let unit = try await systemd.next()
                            #expect(unit.name.hasPrefix("app-handoffd-org.handoffd.Window@"))
                            #expect(
                                unit.properties["ExecStartEx"]?.array?.first?.structure?.first == .string("/bin/sh")
                            )
                            #expect(try await run("/bin/cat", [pipe.path()]).stdout == "\n")
                        }
                    }
                }
            }
        }
    }

    @Test("The item is registered with each panel that comes, and one that starts twice runs once")
    func panels() async throws {
        try await World.run { world in
            try await withPrivateBus { bus in
                try await bus.withDesktop(in: world) { _ in
                    for _ in 1...2 {
                        try await TrayHost.whileOnBus(on: bus) { host in
                            try await host.item().until(status: "Active")
                        }
                    }
                    let arguments = ["--bus", bus.address.description]
                    let second = try await run(Programs.handoffDesktop, arguments, environment: world.environment)
                    #expect(second.status == 0 && second.stderr.contains("runs already"))
                }
            }
        }
    }

    @Test("Calls for items that are gone, and calls of other programs to the pairing agent, are refused")
    func refused() async throws {
        try await World.run { world in
            try await withPrivateBus { bus in
                try await TrayHost.whileOnBus(on: bus) { host in
                    try await bus.withDesktop(in: world) { _ in
                        let item = try await host.item()
                        let click: [Value] = [.int32(9999), .string("clicked"), .variant(.int32(0)), .uint32(0)]
                        let late = await Result { try await item.menu("Event", click) }
                        #expect(late.errorName == "InvalidArgs")
                        let group = Value.array(
                            of: .structure([.int32, .string, .variant, .uint32]),
                            [.structure(click)]
                        )
                        #expect(try await item.menu("EventGroup", [group]) == [[Int32(9999)].value])
                        #expect(
                            try await item.menu("AboutToShowGroup", [[Int32(0), 9999].value])
                                == [[Int32]().value, [Int32(9999)].value]
                        )
                        let question = MethodCall(
                            destination: item.name,
                            path: "/org/handoffd/Desktop1/Pairing",
                            interface: HandoffName.pairingAgentInterface,
                            member: "RequestConfirmation",
                            arguments: [.string("123456"), .string("evil"), .string("0"), [String: Value]().value]
                        )
                        #expect(await Result { try await host.connection.call(question) }.errorName == "AccessDenied")
                    }
                }
            }
        }
    }

    @Test("It loads no Foundation, which would be most of its memory")
    func libraries() async throws {
        try await World.run { world in
            try await withPrivateBus { bus in
                try await bus.withDesktop(in: world) { process in
                    try await bus.waitForOwner(of: HandoffName.desktop)
                    let maps = try await run("/bin/cat", ["/proc/\(process.processID)/maps"]).stdout
                    #expect(maps.contains("libdbus-1") && !maps.contains("Foundation"))
                }
            }
        }
    }

    private static let commandLines: [([String], Int32, String)] = [
        (["--help"], 0, "--bus ADDRESS"), (["-h"], 0, "--bus ADDRESS"), (["--version"], 0, HandoffVersion.current),
        (["--bus"], 64, "--bus needs an address"), (["--adapter", "hci0"], 64, "--adapter is not known"),
        (["--bus=unix:path=/nowhere"], 1, "handoff-desktop has ended"),
    ]

    @Test("The command line has one option; anything else is refused with what there is", arguments: commandLines)
    func arguments(_ arguments: [String], _ status: Int32, _ text: String) async throws {
        try await World.run { world in
            let result = try await run(Programs.handoffDesktop, arguments, environment: world.environment)
            #expect(result.status == status)
            #expect((status == 0 ? result.stdout : result.stderr).contains(text))
        }
    }
}
