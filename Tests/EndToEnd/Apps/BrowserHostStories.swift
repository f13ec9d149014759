import DBus
import Foundation
import HandoffBrowser
import HandoffBus
import HandoffTestSupport
import TestLimits
import Testing

@Suite(
    "The host of a browser publishes its page and opens those of other devices",
    .endsWithin(minutes: 15, instances: 6)
)
struct BrowserHostStories {
    private static let type = "NSUserActivityTypeBrowsingWeb"

    /// Installs the desktop files of the browsers on the device that continues, with Firefox as the default.
    private static let prepare: @Sendable (World) throws -> Void = { world in
        for browser in Browser.allCases {
            let files = InstalledFile.systemFiles(of: browser, data: "/share", host: "/host")
            let file = try #require(files.first { $0.path.hasSuffix(".desktop") })
            try world.write(file.text, to: String(file.path.dropFirst()))
        }
        let firefox =
            "[Desktop Entry]\nType=Application\nName=Firefox\nExec=true %u\nMimeType=x-scheme-handler/https;\n"
        try world.write(firefox, to: "share/applications/firefox-esr.desktop")
    }

    @Test("A page is fetched with what the extension says of it, and disappears when the browser is killed")
    func page() async throws {
        try await World.runPair { world, laptop, desktop in
            try await desktop.watching { watcher in
                try await BrowserHost.run("chromium", on: laptop.bus, in: world) { host in
                    try host.show("https://example.org/a", "A page")
                    _ = try await watcher.one()
                    async let fetched = desktop.json("continue", "--print", "--take")
                    let id = try #require(try await host.message("save")["id"].number)
                    let state = #"{"scroll":0.5,"anchor":"It"}"#
                    try host.send(
                        #"{"type":"saved","id":\#(Int(id)),"url":"https://example.org/a","state":\#(state)}"#
                    )
                    let activity = try await fetched
                    #expect(activity["type"].string == Self.type && activity["title"].string == "A page")
                    #expect(activity["webpageURL"].string == "https://example.org/a")
                    #expect(activity["userInfo"]["Anchor"].string == "It")
                    host.process.kill()
                    try await atOnce { try await watcher.none() }
                }
            }
        }
    }

    @Test("A page whose extension does not answer, or answers about another page, is fetched without a state")
    func silent() async throws {
        try await World.runPair { world, laptop, desktop in
            try await desktop.watching { watcher in
                try await BrowserHost.run("chromium", on: laptop.bus, in: world) { host in
                    try host.show("https://example.org/a", "A page")
                    _ = try await watcher.one()
                    let first = try await desktop.json("continue", "--print", "--take")
                    #expect(first["title"].string == "A page" && first["userInfo"]["Version"].isNull)
                    try host.show("https://example.org/b", "Another")
                    _ = try await laptop.connected { client in
                        try await client.first {
                            try await client.objects().activities.first { $0.properties["Title"] == .string("Another") }
                        }
                    }
                    async let second = desktop.json("continue", "--print", "--take")
                    let save = try await host.message("save") { $0["id"].number == 2 }
                    #expect(!save.isNull)
                    try host.send(
                        #"{"type":"saved","id":2,"url":"https://example.org/a","state":{"anchor":"of another"}}"#
                    )
                    #expect(try await second["userInfo"]["Anchor"].isNull)
                }
            }
        }
    }

    @Test("What is never published ends the activity, and so does the switch of the popup")
    func never() async throws {
        try await World.runPair { world, laptop, desktop in
            try await desktop.watching { watcher in
                try await BrowserHost.run("firefox", on: laptop.bus, in: world) { host in
                    for end in [
                        #"{"type":"page","url":"about:config","title":"secret","focused":true}"#,
                        #"{"type":"page","url":"https://me:secret@example.org/","title":"secret","focused":true}"#,
                        #"{"type":"noPage"}"#,
                    ] {
                        try host.show("https://example.org/a")
                        _ = try await watcher.one()
                        try host.send(end)
                        try await atOnce { try await watcher.none() }
                    }
                }
            }
        }
    }

    @Test("The running default browser opens a page with its state, and its answer decides what the origin is told")
    func opening() async throws {
        let options = [
            "--webpage", "https://example.org/a", "--user-info", #"{"Scroll": {"$real": 0.25}, "Anchor": "It"}"#,
        ]
        try await World.runApps(Self.prepare) { world, laptop, desktop in
            try await FakePortal().whileOnBus(on: desktop.bus) {
                try await BrowserHost.run("firefox", on: desktop.bus, in: world) { host in
                    try await desktop.watching { watcher in
                        try await laptop.publishing(Self.type, options) { _ in
                            try await watcher.until { $0.first?["applicationName"].string == "Firefox" }
                            async let accepted = desktop.json("continue")
                            let message = try await host.message("open")
                            #expect(message["url"].string == "https://example.org/a")
                            #expect(
                                message["state"]["scroll"].number == 0.25 && message["state"]["anchor"].string == "It"
                            )
                            try host.send(#"{"type":"opened","id":1,"opened":true}"#)
                            let result = try await accepted
                            #expect(result["outcome"].string == "app")
                            #expect(result["application"].string == Browser.firefox.application)
                            async let declined = desktop.json("continue")
                            _ = try await host.message("open") { $0["id"].number == 2 }
                            try host.send(#"{"type":"opened","id":2,"opened":false}"#)
                            #expect(try await declined["outcome"].string == "browser", "the portal has opened it")
                        }
                    }
                }
            }
        }
    }

    @Test("A browser that is not the default one, or does not run, gets nothing: the portal opens the page")
    func otherBrowser() async throws {
        let portal = FakePortal()
        try await World.runApps(Self.prepare) { world, laptop, desktop in
            try await portal.whileOnBus(on: desktop.bus) {
                try await BrowserHost.run("chromium", on: desktop.bus, in: world) { host in
                    try await desktop.watching { watcher in
                        try await laptop.publishing(Self.type, ["--webpage", "https://example.org/a"]) { _ in
                            try await watcher.until { $0.first?["applicationName"].string == "Firefox" }
                            #expect(try await desktop.json("continue")["outcome"].string == "browser")
                            #expect(await portal.next() == "https://example.org/a")
                            #expect(!host.shown.lines.contains { $0.contains("open") })
                        }
                    }
                }
            }
        }
    }

    @Test("Of two profiles of a browser, the first one opens pages; the second one does so once the first has ended")
    func profiles() async throws {
        try await World.runApps(Self.prepare) { world, laptop, desktop in
            try await BrowserHost.run("firefox", on: desktop.bus, in: world) { first in
                try await BrowserHost.run("firefox", on: desktop.bus, in: world) { second in
                    try await desktop.watching { watcher in
                        try await laptop.publishing(Self.type, ["--webpage", "https://example.org/a"]) { _ in
                            _ = try await watcher.one()
                            async let one = desktop.json("continue")
                            _ = try await first.message("open")
                            try first.send(#"{"type":"opened","id":1,"opened":true}"#)
                            #expect(try await one["outcome"].string == "app")
                            try first.send("close")
                            #expect(try await first.status() == 0)
                            let process = UInt32(try await second.hostProcess)
                            let name = try BusName(Browser.firefox.application)
                            try await desktop.bus.waitForOwner(of: name, process: process)
                            async let other = desktop.json("continue")
                            _ = try await second.message("open")
                            try second.send(#"{"type":"opened","id":1,"opened":true}"#)
                            #expect(try await other["outcome"].string == "app")
                        }
                    }
                }
            }
        }
    }

    @Test("A host outlives its daemon, and publishes the page again to the next one")
    func daemonKilled() async throws {
        try await World.runPair { world, laptop, desktop in
            try await BrowserHost.run("chromium", on: laptop.bus, in: world) { host in
                try host.show("https://example.org/a", "A page")
                try await desktop.watching { watcher in
                    let old = try await watcher.one()["id"]
                    laptop.signal(SIGKILL)
                    _ = try await host.message("status") { $0["available"].boolean == false }
                    let start = host.shown.lines.count
                    try await world.withDaemon("laptop", on: laptop.bus) { _ in
                        _ = try await host.message("status", from: start) { $0["available"].boolean == true }
                        // The old entry stays for a while.
                        try await watcher.until { $0.count == 1 && $0[0]["id"] != old }
                        #expect(try await desktop.json("continue", "--print", "--take")["title"].string == "A page")
                    }
                }
            }
        }
    }

    @Test("The popup's list has what is near while it is open, and continues it")
    func popup() async throws {
        try await World.runApps(Self.prepare) { world, laptop, desktop in
            try await FakePortal().whileOnBus(on: desktop.bus) {
                try await BrowserHost.run("chromium", on: desktop.bus, in: world) { host in
                    try host.send(#"{"type":"look","on":true}"#)
                    try await laptop.publishing(Self.type, ["--webpage", "https://example.org/a"]) { _ in
                        let list = try await host.message("nearby") { !$0["entries"].array.isEmpty }
                        let entry = try #require(list["entries"].array.first)
                        #expect(entry["device"].string == "laptop" && entry["webpage"].boolean == true)
                        #expect(entry["continuable"].boolean == true && entry["type"].string == Self.type)
                        let number = try #require(entry["entry"].number)
                        try host.send(#"{"type":"continue","id":5,"entry":\#(Int(number))}"#)
                        #expect(try await host.message("continued")["continued"].boolean == true)
                        try host.send(#"{"type":"continue","id":6,"entry":4096}"#)
                        let failed = try await host.message("continued") { $0["id"].number == 6 }
                        #expect(failed["continued"].boolean == false && !failed["message"].string.isEmpty)
                    }
                    let last = host.shown.lines.count - 1
                    _ = try await host.message("nearby", from: max(0, last)) { $0["entries"].array.isEmpty }
                }
            }
        }
    }

    @Test("A message that is not valid is named, and ends nothing")
    func invalid() async throws {
        try await World.run { world in
            try await world.withDevice("laptop") { laptop in
                try await BrowserHost.run("firefox", on: laptop.bus, in: world) { host in
                    for (line, code) in [
                        ("{}", "invalidMessage"), ("bytes 00000000", "invalidMessage"),
                        ("bytes 02000000fffe", "invalidMessage"),
                        (#"{"type":"evaluate","script":"1"}"#, "unknownMessage"),
                        (#"{"type":"saved","id":"1","state":{"scroll":0.5}}"#, "invalidMessage"),
                        (#"{"type":"hello","protocol":1,"browser":"firefox"}"#, "invalidMessage"),
                    ] {
                        let start = host.shown.lines.count
                        try host.send(line)
                        #expect(try await host.message("error", from: start)["code"].string == code)
                    }
                    try host.send("close")
                    #expect(try await host.status() == 0)
                }
            }
        }
    }

    @Test(
        "A message that is too large, a flood, another protocol and another beginning end the host, and say so",
        arguments: [
            ("bytes ffffff7f", "messageTooLarge"), ("bytes 01000100", "messageTooLarge"),
            (#"repeat 1000 {"type":"noPage"}"#, "tooManyMessages"),
            (#"{"type":"hello","protocol":9,"browser":"firefox"}"#, "unsupportedProtocol"),
            (#"{"type":"noPage"}"#, "invalidMessage"),
        ]
    )
    func hostile(_ line: String, _ code: String) async throws {
        try await World.run { world in
            try await withPrivateBus { bus in
                try await BrowserHost.start("firefox", on: bus, in: world) { host in
                    if code == "tooManyMessages" {
                        try host.send(#"{"type":"hello","protocol":1,"browser":"firefox"}"#)
                    }
                    try host.send(line)
                    #expect(try await host.message("error")["code"].string == code)
                    #expect(try await host.status() == 65)
                }
            }
        }
    }

    @Test("A host that a person has started says what it is, and exits")
    func byHand() async throws {
        let result = try await run(Programs.browserHost, [])
        #expect(result.status == 64 && result.stderr.contains("The browser starts it"))
        #expect(try await run(Programs.browserHost, ["--help"]).stdout.contains("handoffctl browser"))
    }
}
