import Foundation
import HandoffTestSupport
import Testing

/// What the person decides, in place of an app or a site.
extension SiteStories {
    @Test("A site that the person denies is not asked, and its pages open no app; nor is any during a pause")
    func denied() async throws {
        try await Self.alone { world in
            try world.writeApp("org.example.Other", "DBusActivatable=true")
        } _: { world, server, desktop in
            try await desktop.knowsApps(1)
            #expect(try await desktop.run("rules", "deny", "site", "plain.site.example").status == 0)
            #expect(try await desktop.run("pause").status == 0)
            try world.writeSiteApp("org.example.Editor", ["plain", "*.plain", "root"])
            let paused = try await desktop.domains { $0.count == 3 }
            #expect(paused["plain"]?["failure"].string == "denied" && paused["*.plain"]?["failure"].string == "denied")
            #expect(paused["root"]?["state"].string == "pending" && paused["root"]?["failure"].isNull == true)
            #expect(world.curlLog.isEmpty)
            #expect(try await desktop.run("resume").status == 0)
            #expect(try await desktop.domains { $0["root"]?["state"].string == "approved" }.count == 3)
            #expect(server.requests(for: "plain").isEmpty)
            #expect(try await desktop.run("rules", "remove", "site", "plain.site.example").status == 0)
            _ = try await desktop.domains { $0["plain"]?["state"].string == "approved" }
            // What the person requests is done also during a pause.
            #expect(try await desktop.run("pause").status == 0)
            try server.answer(for: "root", as: "none")
            _ = try await desktop.run("apps", "--check", "--again")
            #expect(try await desktop.domains()["root"]?["failure"].string == "absent")
        }
    }

    @Test("A check that is requested again within seconds is made again, and its answer is the one that is told")
    func again() async throws {
        try await Self.alone { world in
            try world.writeSiteApp("org.example.Editor", ["plain"])
        } _: { _, server, desktop in
            #expect(try await desktop.domains()["plain"]?["state"].string == "approved")
            try server.answer(for: "plain", as: "none")
            let check = try await desktop.run("--json", "apps", "--check", "--again")
            #expect(try JSON(check.stdout).array.map { $0["failure"].string } == ["absent"])
        }
    }

    @Test("While a site approves an app, a browser on the bus is still told that a page comes before it gets it")
    func browser() async throws {
        let app = RecordingApp()
        try await Self.pair { world in
            try world.writeSiteApp("org.example.Second", ["plain"])
            let lines = "X-Handoff-ActivityTypes=NSUserActivityTypeBrowsingWeb;\nDBusActivatable=true\n"
            let head = "[Desktop Entry]\nType=Application\nName=B\n"
            try world.write(head + lines, to: "share/applications/org.example.Editor.desktop")
        } _: { _, _, laptop, desktop in
            _ = try await desktop.domains { $0["plain"]?["state"].string == "approved" }
            try await app.whileOnBus(on: desktop.bus) {
                try await desktop.watching { watcher in
                    let options = ["--webpage", "https://other.site.example/", "--title", "Page"]
                    try await laptop.publishing("NSUserActivityTypeBrowsingWeb", options) { _ in
                        try await watcher.until { $0.first?["application"].string == "org.example.Editor" }
                        #expect(try await desktop.json("continue")["application"].string == "org.example.Editor")
                        #expect(await app.next() == "WillContinue NSUserActivityTypeBrowsingWeb from laptop")
                        #expect(await app.next() == "Continue Page")
                    }
                }
            }
        }
    }
}
