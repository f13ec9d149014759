import DBus
import Foundation
import HandoffBus
import HandoffModel
import HandoffTestSupport
import TestLimits
import Testing

@Suite("A web site decides which app its pages open", .endsWithin(minutes: 15, instances: 4))
struct SiteStories {
    /// Runs `story` with one device, the server, and what else is needed on the device's bus.
    static func alone(
        in sandbox: UnitSandbox? = nil,
        _ prepare: @escaping @Sendable (World) async throws -> Void,
        _ story: @escaping @Sendable (World, SiteServer, Device) async throws -> Void
    ) async throws {
        try await World.run { world in
            try await SiteServer.prepare(world)
            try await prepare(world)
            try await SiteServer.run(in: world) { server in
                try await withPrivateBus { bus in
                    let variables = SiteServer.variables(of: world)
                    try await world.withDaemon("desktop", on: bus, variables: variables, in: sandbox) { device in
                        try await story(world, server, device)
                    }
                }
            }
        }
    }

    /// The same with another device that it trusts.
    static func pair(
        _ prepare: @escaping @Sendable (World) async throws -> Void,
        _ story: @escaping @Sendable (World, SiteServer, _ laptop: Device, _ desktop: Device) async throws -> Void
    ) async throws {
        try await alone(prepare) { world, server, desktop in
            try await world.withDevice("laptop") { laptop in
                try await laptop.trustEachOther(desktop)
                try await story(world, server, laptop, desktop)
            }
        }
    }

    /// Each host with the state and the failure that follow from how its server answers.
    private static let answers: [String: String] = [
        "plain": "approved", "root": "approved", "signed-rsa": "approved", "signed-good": "approved",
        "octets": "approved", "huge-number": "approved",
        "signed-other": "refused badSignature", "signed-expired": "refused badSignature",
        "signed-untrusted": "refused badSignature", "tampered": "refused badSignature",
        "unsigned": "refused badSignature",
        "tls-other": "pending insecure", "tls-expired": "pending insecure", "tls-untrusted": "pending insecure",
        "page": "refused wrongType", "redirect": "refused redirected", "loop": "refused redirected",
        "large": "refused tooLarge", "endless": "refused tooLarge", "slow": "pending timedOut",
        "deep": "refused invalidFile", "duplicate": "refused invalidFile", "unlisted": "refused notListed",
        "none": "refused absent", "none-large": "refused absent", "broken": "refused badStatus",
        "noise": "refused invalidAnswer",
        "silent": "refused invalidAnswer",
    ]

    @Test("Files that are valid, and files that are hostile in every way, each have their verdict, in a few requests")
    func verdicts() async throws {
        let hosts = Self.answers.keys.sorted()
        try await Self.alone { world in
            try world.writeSiteApp("org.example.Editor", Array(hosts.prefix(20)))
            try world.writeSiteApp("org.example.Second", Array(hosts.dropFirst(20)))
        } _: { world, server, desktop in
            let domains = try await desktop.domains { all in
                all.count == hosts.count && all.values.allSatisfy { !$0["checked"].isNull }
            }
            for host in hosts {
                let domain = try #require(domains[host])
                let found = [domain["state"].string, domain["failure"].string].filter { !$0.isEmpty }
                #expect(found.joined(separator: " ") == Self.answers[host], "\(host): \(domain)")
                #expect(domain["reason"].isNull == (Self.answers[host] == "approved"))
                let paths = server.requests(for: host).map { $0.split(separator: " ")[2] }
                let isRoot = ["root", "none", "none-large"].contains(host)
                let expected = ["/.well-known/apple-app-site-association", "/apple-app-site-association"]
                #expect(
                    paths.map(String.init) == (host.hasPrefix("tls-") ? [] : Array(expected.prefix(isRoot ? 2 : 1)))
                )
                #expect(
                    server.requests(for: host).allSatisfy { $0.hasSuffix(" site-association") },
                    "nothing else is told"
                )
            }
            let check = try await desktop.run("apps", "--check")
            #expect(check.status == 1)
            #expect(check.stdout.contains("verified on "))
            #expect(check.stdout.contains("refused, because the site redirects to another address"))
            #expect(check.stdout.contains("not yet verified, because the site did not answer completely within 10 s"))
            let list = try await desktop.run("--json", "apps", "--check")
            #expect(try JSON(list.stdout).array.count == hosts.count)
            #expect(world.curlLog.allSatisfy { $0.contains("--proto =https") && !$0.contains("--location") })
        }
    }

    @Test("A page opens the app that its site approves, with no userInfo; nobody is asked when that happens")
    func continues() async throws {
        let (app, portal) = (RecordingApp(), FakePortal())
        try await Self.pair { world in
            try world.writeSiteApp("org.example.Editor", ["plain", "*.plain"])
        } _: { world, server, laptop, desktop in
            _ = try await desktop.domains()
            let asked = world.curlLog
            try await app.whileOnBus(on: desktop.bus) {
                try await portal.whileOnBus(on: desktop.bus) {
                    for (host, opensApp) in [("plain", true), ("a.plain", true), ("evil", false), ("plain", true)] {
                        let page = "https://\(host).site.example/a?b=\(host)"
                        let outcome = try await Self.continuePage(page, laptop, desktop)
                        #expect(outcome["outcome"].string == (opensApp ? "app" : "browser"))
                        guard opensApp else {
                            #expect(await portal.next() == page)
                            continue
                        }
                        #expect(outcome["application"].string == "org.example.Editor")
                        #expect(await app.next() == "WillContinue NSUserActivityTypeBrowsingWeb from laptop")
                        #expect(await app.next() == "Continue Page")
                        let activity = try #require(app.received)
                        #expect(activity.type == .browsingWeb && activity.webpageURL?.rawValue == page)
                        #expect(activity.userInfo.isEmpty && activity.title == "Page")
                    }
                    #expect(world.curlLog == asked, "no site learns what somebody reads")
                    for arguments in [["deny", "app", "org.example.Editor"], ["remove", "app", "org.example.Editor"]] {
                        #expect(try await desktop.run(["rules"] + arguments).status == 0)
                        let isDenied = arguments[0] == "deny"
                        let domains = try await desktop.domains()
                        #expect(domains["plain"]?["state"].string == (isDenied ? "refused" : "approved"))
                        let page = "https://plain.site.example/"
                        let outcome = try await Self.continuePage(page, laptop, desktop)["outcome"].string
                        #expect(outcome == (isDenied ? "browser" : "app"))
                        if isDenied { #expect(await portal.next() == page) }
                    }
                }
            }
        }
    }

    /// Has a device browse a page with userInfo, and continues it on the other one.
    static func continuePage(_ page: String, _ laptop: Device, _ desktop: Device) async throws -> JSON {
        let options = ["--webpage", page, "--title", "Page", "--user-info", #"{"scroll": 7}"#]
        let (results, newResults) = AsyncStream<JSON>.makeStream()
        try await desktop.watching { watcher in
            try await laptop.publishing("NSUserActivityTypeBrowsingWeb", options) { _ in
                try await watcher.until { $0.first?["opensWith"].string == "browser" }
                newResults.yield(try await desktop.json("continue"))
            }
            try await watcher.none()
        }
        for await result in results { return result }
        throw CancellationError()
    }

    @Test("An app that declines its page leaves it to the browser that claims browsing, with the state for browsers")
    func declined() async throws {
        let app = RecordingApp(accepts: false)
        try await Self.pair { world in
            try world.writeSiteApp("org.example.Editor", ["plain"])
            let lines =
                "[Desktop Entry]\nType=Application\nName=B\nX-Handoff-ActivityTypes=NSUserActivityTypeBrowsingWeb\n"
            let received = world.directory.appending(path: "received").path()
            try await world.writeProgram(
                "#!/bin/sh\ncat > \(received).new && mv \(received).new \(received)\n",
                to: "bin/b"
            )
            try world.write(lines + "X-Handoff-Exec=b\n", to: "share/applications/b.desktop")
        } _: { world, _, laptop, desktop in
            _ = try await desktop.domains()
            try await app.whileOnBus(on: desktop.bus) {
                try await desktop.watching { watcher in
                    let options = ["--webpage", "https://plain.site.example/", "--user-info", #"{"scroll": 7}"#]
                    try await laptop.publishing("NSUserActivityTypeBrowsingWeb", options) { _ in
                        try await watcher.until { $0.first?["application"].string == "b" }
                        #expect(try await desktop.json("continue")["outcome"].string == "browser")
                        #expect(await app.next() == "WillContinue NSUserActivityTypeBrowsingWeb from laptop")
                        #expect(await app.next() == "Continue ")
                        let received = world.directory.appending(path: "received")
                        try await untilFiles(in: [world.directory], "what the program has received") {
                            FileManager.default.fileExists(atPath: received.path())
                        }
                        #expect(try String(contentsOf: received, encoding: .utf8).contains("scroll"))
                    }
                }
            }
        }
    }

    @Test("A file that disappears, or lists the app no longer, revokes at once; a site that is down revokes nothing")
    func revoked() async throws {
        let portal = FakePortal()
        try await Self.pair { world in
            try world.writeSiteApp("org.example.Editor", ["plain", "root", "signed-rsa"])
        } _: { world, server, laptop, desktop in
            #expect(try await desktop.domains().values.allSatisfy { $0["state"].string == "approved" })
            try server.answer(for: "plain", as: "none")
            try server.answer(for: "root", as: "unlisted")
            try server.answer(for: "signed-rsa", as: "broken")
            let check = try await desktop.run("--json", "apps", "--check", "--again")
            #expect(check.status == 1)
            let states = try JSON(check.stdout).array.map { "\($0["state"].string) \($0["failure"].string)" }
            #expect(states == ["refused absent", "refused notListed", "approved badStatus"])
            try await portal.whileOnBus(on: desktop.bus) {
                let page = "https://plain.site.example/"
                let outcome = try await Self.continuePage(page, laptop, desktop)["outcome"].string
                #expect(outcome == "browser")
                #expect(await portal.next() == page)
            }
            try server.answer(for: "plain", as: "plain")
            try server.answer(for: "root", as: "root")
            try server.answer(for: "signed-rsa", as: "signed-rsa")
            #expect(try await desktop.run("apps", "--check", "--again").status == 0)
            #expect(try await desktop.run("apps", "--check", "--again").status == 0)
            // A request is printed before it is answered, and may be read after that.
            let tagged = try await server.requests.lines(3, "a request with a tag") { $0.contains("\"one\"") }
            let hosts = tagged.map { $0.split(separator: " ")[1].split(separator: ".")[0] }
            #expect(hosts.first == "plain", "asked for what was known before it disappeared")
            #expect(hosts.dropFirst().sorted() == ["plain", "root"], "known by their entity tags the second time")
        }
    }

    @Test(
        "Nothing is fetched before an app claims a domain; a claim is checked when it appears, and forgotten when it goes"
    )
    func appears() async throws {
        try await Self.alone { world in
            try world.writeApp("org.example.Other", "DBusActivatable=true")
        } _: { world, server, desktop in
            try await desktop.knowsApps(1)
            #expect(world.curlLog.isEmpty)
            let cache = world.directory.appending(path: "cache/handoff/associations")
            #expect(!FileManager.default.fileExists(atPath: cache.path()))
            try world.writeSiteApp("org.example.Editor", ["plain"])
            #expect(try await desktop.domains { $0["plain"]?["state"].string == "approved" }.count == 1)
            try FileManager.default.removeItem(
                at: world.share.appending(path: "applications/org.example.Editor.desktop")
            )
            _ = try await desktop.domains { $0.isEmpty }
            // It may not have been written yet for the first time.
            try await untilFiles(in: [cache.deletingLastPathComponent()], "the site to be forgotten") {
                (try? String(contentsOf: cache, encoding: .utf8)).map { !$0.contains("plain") } ?? false
            }
            try world.writeSiteApp("org.example.Editor", ["plain"])
            #expect(try await desktop.domains { $0["plain"]?["state"].string == "approved" }.count == 1)
            try await server.requests.lines(2, "a request") { $0.hasPrefix("GET plain.site.example ") }
            #expect(server.requests(for: "plain").count == 2)
        }
    }

    @Test("An approval outlasts restarts without a network for 30 days and no longer; a damaged file is no approval")
    func offline() async throws {
        try await World.run { world in
            try await SiteServer.prepare(world)
            try world.writeSiteApp("org.example.Editor", ["plain"])
            let cache = world.directory.appending(path: "cache/handoff/associations")
            try await withPrivateBus { bus in
                try await SiteServer.run(in: world) { _ in
                    try await world.withDaemon("desktop", on: bus, variables: SiteServer.variables(of: world)) {
                        desktop in
                        #expect(try await desktop.domains()["plain"]?["state"].string == "approved")
                        try await untilFiles(in: [cache.deletingLastPathComponent()], "the answer to be kept") {
                            (try? String(contentsOf: cache, encoding: .utf8).contains("T1")) ?? false
                        }
                    }
                }
                for (days, state) in [(0, "approved"), (29, "approved"), (31, "lapsed")] {
                    let ahead = ["LD_PRELOAD": Programs.shiftedClock, "SHIFTED_CLOCK_SECONDS": "\(days * 86_400)"]
                    let variables = SiteServer.variables(of: world).merging(ahead) { $1 }
                    try await world.withDaemon("desktop", on: bus, variables: variables) { desktop in
                        let domains = try await desktop.domains {
                            $0["plain"].map { $0["checked"].string != "" } ?? false
                        }
                        #expect(domains["plain"]?["state"].string == state, "after \(days) days")
                        let check = try await desktop.run("--json", "apps", "--check", "--again")
                        let domain = try #require(try JSON(check.stdout).array.first)
                        #expect(domain["state"].string == state && domain["failure"].string == "unreachable")
                    }
                }
                try Data("{\"version\":1".utf8).write(to: cache)
                try await world.withDaemon("desktop", on: bus, variables: SiteServer.variables(of: world)) { desktop in
                    try await desktop.log.event("sites.unreadable")
                    let domains = try await desktop.domains { $0["plain"].map { !$0["failure"].isNull } ?? false }
                    #expect(domains["plain"]?["state"].string == "pending")
                    let check = try await desktop.run("apps", "--check")
                    #expect(check.stdout.contains("not yet verified, because the site cannot be reached"))
                }
            }
        }
    }

    @Test(
        "Without curl, or without openssl for a signed file, the check says what to install",
        arguments: [("curl", "plain"), ("openssl", "signed-rsa")]
    )
    func noTool(tool: String, host: String) async throws {
        try await World.run { world in
            try await SiteServer.prepare(world)
            try world.writeSiteApp("org.example.Editor", [host])
            let tools = world.directory.appending(path: "tools")
            try FileManager.default.createDirectory(at: tools, withIntermediateDirectories: true)
            for name in ["curl", "openssl"] where name != tool {
                let program = name == "curl" ? world.directory.appending(path: "bin/curl").path() : "/usr/bin/openssl"
                let link = tools.appending(path: name).path()
                try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: program)
            }
            let cat = tools.appending(path: "cat").path()
            try FileManager.default.createSymbolicLink(atPath: cat, withDestinationPath: "/bin/cat")
            let variables = SiteServer.variables(of: world).merging(["PATH": tools.path()]) { $1 }
            try await SiteServer.run(in: world) { _ in
                try await withPrivateBus { bus in
                    try await world.withDaemon("desktop", on: bus, variables: variables) { desktop in
                        let domains = try await desktop.domains { $0[host].map { !$0["failure"].isNull } ?? false }
                        #expect(domains[host]?["failure"].string == "toolMissing")
                        let check = try await desktop.run("apps", "--check")
                        #expect(check.stdout.contains("because \(tool) is not installed") && check.status == 1)
                    }
                }
            }
        }
    }

    @Test("A daemon that is stopped while a site answers slowly ends in time, and leaves no program behind")
    func stopped() async throws {
        try await Self.alone { world in
            try world.writeSiteApp("org.example.Editor", ["slow"])
        } _: { world, server, desktop in
            try await server.requests.line(containing: "GET slow.site.example")
            let start = ContinuousClock.now
            desktop.signal(SIGTERM)
            #expect(await desktop.process.exitStatus() == 0)
            #expect(ContinuousClock.now - start < .seconds(9), "the request alone would take 10 s")
        }
    }
}
