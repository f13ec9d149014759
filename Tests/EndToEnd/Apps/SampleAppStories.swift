import DBus
import Foundation
import HandoffBus
import HandoffModel
import HandoffRadioSimulated
import HandoffTestSupport
import TestLimits
import Testing

@Suite("The sample app, which uses only HandoffKit", .endsWithin(minutes: 15, instances: 4))
struct SampleAppStories {
    @Test("Each of four tabs continues in the same tab on the other device, with the notes of all its parts")
    func fourTabs() async throws {
        try await Self.run { laptop, desktop, here, there in
            try await desktop.watching { watcher in
                for tab in 1...4 {
                    let page = "https://example.org/\(tab)"
                    try await there.send("tab \(tab)", "open \(page)", "note one", "note two of \(tab)")
                    try await watcher.tab(tab)
                    let start = here.shown.lines.count
                    #expect(try await desktop.json("continue")["application"].string == BrowserProcess.id)
                    try await here.shows("tab \(tab): waiting for laptop", from: start)
                    let continued = try await here.shows("continued from laptop", from: start)
                    #expect(continued.contains("tab \(tab): \(page) [\"one\", \"two of \(tab)\"]"))
                    try await there.shows("tab \(tab): continued on desktop")
                    try await there.shows(#"updated: ["notes", "url", "version"]"#)
                }
                // The tabs that were continued on this device are now offered by it.
                let state = try await here.send("state")
                #expect(state.count { $0.contains("https://example.org/") } == 4)
            }
        }
    }

    @Test("What the README of the sample app shows is what the app prints, on both devices")
    func readme() async throws {
        let lines = try String(contentsOf: Repository.file("Examples/MonkeyBrowser/README.md"), encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let session = try #require(lines.firstIndex(of: "    $ monkeybrowser"))
        let shown = lines[(session + 1)...].prefix { !$0.isEmpty }.map { String($0.dropFirst(4)) }
        #expect(shown.first == "ready")
        let continued = try #require(lines.first { $0.hasPrefix("    continued from ") }).dropFirst(4)
        try await Self.run { laptop, desktop, here, there in
            try await desktop.watching { watcher in
                // What is typed and what is printed take turns.
                for number in stride(from: 1, to: shown.count, by: 2) {
                    #expect(try await there.send(shown[number]) == [shown[number + 1]])
                }
                try await watcher.tab(2)
                _ = try await desktop.json("continue")
                #expect(try await here.shows("continued from") == continued)
            }
        }
    }

    @Test("The team that the app's desktop file declares is that of its activities, so that the app continues its own")
    func team() async throws {
        try await World.run { world in
            try world.installBrowser(["X-Handoff-TeamID=org.example.team"])
            let variables = ["XDG_DATA_HOME": world.share.path(), "XDG_DATA_DIRS": "/nowhere"]
            try await world.withDevice("laptop") { laptop in
                try await BrowserProcess.browsing(on: laptop.bus, in: world, variables) { there in
                    try await Self.withDesktop(in: world) { desktop, here in
                        try await laptop.trustEachOther(desktop)
                        try await desktop.watching { watcher in
                            try await there.send("tab 1", "open https://example.org/1")
                            try await watcher.tab(1)
                            let activity = try await laptop.connected { try await $0.objects().activities.first }
                            #expect(activity?.properties["TeamID"] == .string("org.example.team"))
                            #expect(try await desktop.json("continue")["application"].string == BrowserProcess.id)
                            try await here.shows("continued from laptop")
                        }
                    }
                }
            }
        }
    }

    @Test("The desktop starts the app from its menu, and opens a web page in it; what it cannot open is an error")
    func desktopApplication() async throws {
        try await Self.run { _, desktop, here, _ in
            try await desktop.connected { client in
                let call = { (member: MemberName, arguments: [Value]) in
                    MethodCall(
                        destination: try BusName(BrowserProcess.id),
                        path: "/org/handoffd/MonkeyBrowser",
                        interface: "org.freedesktop.Application",
                        member: member,
                        arguments: arguments
                    )
                }
                let platform = ["activation-token": Value.string("T")].value
                _ = try await client.connection.call(try call("Activate", [platform]))
                try await here.shows("activated: tab 1")
                _ = try await client.connection.call(try call("Open", [["https://example.org/"].value, platform]))
                try await here.shows("opened: tab 1: https://example.org/")
                for (member, arguments) in [
                    ("Open", [["file:///etc/passwd"].value, platform]),
                    ("ActivateAction", [.string("new-window"), [Value]().value, platform]),
                ] as [(MemberName, [Value])] {
                    let refused = await Result { _ = try await client.connection.call(try call(member, arguments)) }
                    #expect(refused.errorName == "NotSupported")
                }
            }
        }
    }

    @Test("A continued tab is offered back by the device that continued it")
    func backAgain() async throws {
        try await Self.run { laptop, desktop, here, there in
            try await desktop.watching { watcher in
                try await there.send("tab 2", "open https://example.org/", "note from the laptop")
                try await watcher.tab(2)
                _ = try await desktop.json("continue")
            }
            try await here.send("note from the desktop")
            let entry = try await laptop.watchingOnce()
            let back = try await laptop.connected { try await $0.fetchActivity(entry, for: .take) }
            #expect(back.userInfo["notes"] == .array([.string("from the laptop"), .string("from the desktop")]))
        }
    }

    @Test("A page of 1 MB comes through a stream each time it is fetched, and every failure has its own code")
    func pages() async throws {
        try await Self.run { laptop, desktop, here, there in
            try laptop.world.setAir {
                $0.bandwidth = 100_000_000
                $0.delay = .zero
            }
            try await desktop.watching { watcher in
                try await there.send("tab 4", "open https://example.org/long", "fill 1000000")
                try await watcher.tab(4)
                _ = try await desktop.json("continue")
                for _ in 0..<2 {
                    let fetched = try await here.send("fetch").first { $0.contains("page of") } ?? ""
                    let sum = try #require(fetched.split(separator: " ").last)
                    #expect(fetched.contains("page of 1000000 bytes"))
                    try await there.shows("sent 1000000 bytes to desktop, sum \(sum)")
                }
                try await there.send("tab 3", "open https://example.org/short")
                try await watcher.tab(3)
                _ = try await desktop.json("continue")
                let refused = try await here.send("fetch")
                #expect(refused.contains { $0.contains("no page: 4608 StreamsNotSupported") })
                // By now, the page has another address on the laptop.
                try await there.send("tab 4", "open https://example.org/other")
                try await here.send("tab 4")
                let failed = try await here.send("fetch")
                #expect(failed.contains { $0.contains("no page: 4609 StreamBroken") })
                try await there.send("close")
                let ended = try await here.send("fetch")
                #expect(ended.contains { $0.contains("no page: 4608 ContinuationEnded") })
            }
        }
    }

    @Test("Tabs of a running browser can be continued again as soon as a stopped handoffd is back")
    func restarted() async throws {
        try await World.run { world in
            try world.installBrowser()
            try await withPrivateBus { bus in
                try await BrowserProcess.browsing(on: bus, in: world) { there in
                    try await there.shows("handoff unavailable: 4609")
                    try await there.send("tab 1", "open https://example.org/1", "tab 2", "open https://example.org/2")
                    try await Self.withDesktop(in: world) { desktop, here in
                        try await desktop.watching { watcher in
                            for run in 1...2 {
                                try await world.withDaemon("laptop", on: bus) { laptop in
                                    try await laptop.trustEachOther(desktop)
                                    try await watcher.tab(2)
                                    let start = here.shown.lines.count
                                    try await there.send("note in run \(run)")
                                    _ = try await desktop.json("continue")
                                    let continued = try await here.shows("continued from laptop", from: start)
                                    #expect(continued.contains("in run \(run)"))
                                    // Both tabs are back, in the order in which the user last viewed them.
                                    let own = try await laptop.connected { try await $0.objects().activities }
                                    #expect(own.count == 2)
                                    laptop.signal(SIGTERM)
                                    _ = await laptop.process.exitStatus()
                                }
                                try await watcher.none()
                            }
                        }
                    }
                }
            }
        }
    }

    @Test("The bus starts a browser that is not running when an activity is continued")
    func launched() async throws {
        try await World.run { world in
            try world.installBrowser()
            try world.installBrowserService()
            try await world.withDevice("laptop") { laptop in
                let services = world.directory.appending(path: "services")
                try await withPrivateBus(services: services) { bus in
                    try await world.withDaemon("desktop", on: bus, variables: world.appVariables) { desktop in
                        defer { world.endProcess(world.browserProcess) }
                        try await laptop.trustEachOther(desktop)
                        try await BrowserProcess.browsing(on: laptop.bus, in: world) { there in
                            try await desktop.watching { watcher in
                                try await there.send("tab 3", "open https://example.org/3", "note hello")
                                try await watcher.tab(3)
                                #expect(try await desktop.json("continue")["application"].string == BrowserProcess.id)
                            }
                        }
                        let shown = try String(contentsOf: world.browserShown, encoding: .utf8)
                        #expect(shown.contains("tab 3: waiting for laptop"))
                        #expect(shown.contains("continued from laptop: tab 3: https://example.org/3 [\"hello\"]"))
                    }
                }
            }
        }
    }

    @Test("A second browser on the bus is refused as a receiver, and its tabs can still be continued elsewhere")
    func second() async throws {
        try await Self.run { laptop, desktop, _, _ in
            try await BrowserProcess.browsing(on: laptop.bus, in: laptop.world) { second in
                try await second.shows("handoff unavailable: 4608 the bus name \(BrowserProcess.id) is taken")
                try await desktop.watching { watcher in
                    try await second.send("tab 2", "open https://example.org/second")
                    try await watcher.tab(2)
                    _ = try await desktop.json("continue")
                }
                try await second.shows("tab 2: continued on desktop")
            }
        }
    }

    @Test("Invalid pages and failed continuations are reported with Cocoa's codes, and the browser keeps running")
    func failures() async throws {
        try await Self.run { laptop, desktop, here, there in
            try await desktop.watching { watcher in
                let wrong = try await there.send("open ftp://example.org/")
                #expect(wrong.contains { $0.contains("cannot open") && $0.contains("http") })
                try await there.send("tab 1", "open https://example.org/", "note small")
                try await watcher.tab(1)
                _ = try await desktop.json("continue")
                try await there.send("note \(String(repeating: "x", count: 40_000))")
                try await there.send("note \(String(repeating: "y", count: 40_000))")
                _ = try await desktop.run("continue", "--print", "--fresh")
                try await there.shows("tab 1: not published: 4611")
                laptop.signal(SIGSTOP)
                let start = here.shown.lines.count
                #expect(try await desktop.run("continue").status == 1)
                let failed = try await here.shows("not continued: ", from: start)
                #expect(failed.contains("4609 PeerUnreachable") || failed.contains("4610 TimedOut"))
                laptop.signal(SIGCONT)
                try await here.send("state")
            }
        }
    }

    /// Runs `story` with a browser on each of two devices that trust each other.
    static func run(
        _ story:
            @escaping @Sendable (_ laptop: Device, _ desktop: Device, _ here: BrowserProcess, _ there: BrowserProcess)
            async throws ->
            Void
    ) async throws {
        try await World.run { world in
            try world.installBrowser()
            try await world.withDevice("laptop") { laptop in
                try await BrowserProcess.browsing(on: laptop.bus, in: world) { there in
                    try await withDesktop(in: world) { desktop, here in
                        try await laptop.trustEachOther(desktop)
                        try await story(laptop, desktop, here, there)
                    }
                }
            }
        }
    }

    /// Runs `body` with a desktop on which the browser is installed and running.
    private static func withDesktop(
        in world: World,
        _ body: @escaping @Sendable (_ desktop: Device, _ here: BrowserProcess) async throws -> Void
    ) async throws {
        try await withPrivateBus { bus in
            try await world.withDaemon("desktop", on: bus, variables: world.appVariables) { desktop in
                try await BrowserProcess.browsing(on: bus, in: world) { here in
                    try await here.shows("handoff available")
                    try await body(desktop, here)
                }
            }
        }
    }
}
