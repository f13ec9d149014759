import DBus
import Foundation
import HandoffBus
import HandoffModel
import HandoffTestSupport
import Testing
import TestLimits

@Suite(
    "Programs and documents are opened by the rules of the desktop",
    .endsWithin(minutes: 15, instances: 6)
)
struct LaunchStories {
    /// Installs a program that writes its arguments and activation tokens to a file.
    static func writeRecorder(_ world: World) async throws {
        let text = "#!/bin/sh\necho \"$@ $XDG_ACTIVATION_TOKEN $DESKTOP_STARTUP_ID\" > \"$HOME/record\"\necho on air\n"
        try await world.writeProgram(text, to: "bin/recorder")
    }

    static func record(_ world: World, _ desktop: Device) async throws -> String {
        try await desktop.log.event("app.ended")
        return try String(contentsOf: world.directory.appending(path: "record"), encoding: .utf8)
    }

    /// Writes a document that both devices have, and the file that assigns its MIME type.
    ///
    /// - Returns: the options that publish it.
    static func document(_ world: World, _ laptop: Device, _ desktop: Device) async throws -> [String] {
        try world.write("Hello\n", to: "my docs/a draft.txt")
        try world.write("50:text/plain:*.txt\n", to: "share/mime/globs2")
        for device in [laptop, desktop] {
            _ = try await device.json(
                "folders",
                "add",
                "docs",
                world.directory.appending(path: "my docs").path(percentEncoded: false)
            )
        }
        let url = "file://\(world.directory.path())/my%20docs/a%20draft.txt"
        return ["--user-info", #"{"NSUserActivityDocumentURLKey": {"$url": "\#(url)"}}"#]
    }

    @Test("A program with Exec %u gets the page and the token, and its output is in the log")
    func address() async throws {
        let prepare: @Sendable (World) async throws -> Void = { world in
            try await Self.writeRecorder(world)
            try world.writeApp("viewer", "Exec=recorder --new %u --icon %i")
        }
        try await World.runApps(prepare) { world, laptop, desktop in
            try await desktop.watching { watcher in
                try await laptop.publishing("org.example.edit", ["--webpage", "https://example.org/a?b=c%20d"]) { _ in
                    try await watcher.until { $0.first?["application"].string == "viewer" }
                    let result = try await desktop.json("continue", "--activation-token", "T1")
                    #expect(result["outcome"].string == "app")
                    let record = try await Self.record(world, desktop)
                    #expect(record == "--new https://example.org/a?b=c%20d --icon T1 T1\n")
                    try await desktop.log.line(containing: "on air")
                }
            }
        }
    }

    @Test("A browser that claims the browsing type gets the activity whatever its team is")
    func browsing() async throws {
        let prepare: @Sendable (World) throws -> Void = { world in
            let lines = "[Desktop Entry]\nType=Application\nName=Browser\nX-Handoff-TeamID=browser\n"
            let keys = "X-Handoff-ActivityTypes=NSUserActivityTypeBrowsingWeb;\nX-Handoff-Exec=true\n"
            try world.write(lines + keys, to: "share/applications/browser.desktop")
        }
        try await World.runApps(prepare) { world, laptop, desktop in
            try await desktop.watching { watcher in
                let options = ["--webpage", "https://example.org/", "--team-id", "site"]
                try await laptop.publishing("NSUserActivityTypeBrowsingWeb", options) { _ in
                    try await watcher.until { $0.first?["applicationName"].string == "Browser" }
                    #expect(try await desktop.json("continue")["application"].string == "browser")
                }
            }
        }
    }

    @Test(
        "Of two browsers that claim the browsing type, the desktop's default browser gets the activity, also when it changes"
    )
    func defaultBrowser() async throws {
        let prepare: @Sendable (World) throws -> Void = { world in
            for id in ["a", "b"] {
                let lines = "[Desktop Entry]\nType=Application\nName=\(id)\nMimeType=x-scheme-handler/https;\n"
                let keys = "X-Handoff-ActivityTypes=NSUserActivityTypeBrowsingWeb;\nExec=true %u\n"
                try world.write(lines + keys, to: "share/applications/\(id).desktop")
            }
            try world.write("[Default Applications]\nx-scheme-handler/https=b.desktop\n", to: ".config/mimeapps.list")
        }
        try await World.runApps(prepare) { world, laptop, desktop in
            try await desktop.watching { watcher in
                let page = ["--webpage", "https://example.org/"]
                try await laptop.publishing("NSUserActivityTypeBrowsingWeb", page) { _ in
                    try await watcher.until { $0.first?["applicationName"].string == "b" }
                    #expect(try await desktop.json("continue")["application"].string == "b")
                    let list = "[Default Applications]\nx-scheme-handler/https=a.desktop\n"
                    try world.write(list, to: ".config/mimeapps.list")
                    try await watcher.until { $0.first?["applicationName"].string == "a" }
                }
            }
        }
    }

    @Test("A default browser that claims the browsing type gets the page of any app's activity as one of that type")
    func browserFallback() async throws {
        let browser = RecordingApp()
        let prepare: @Sendable (World) throws -> Void = { world in
            let lines = "[Desktop Entry]\nType=Application\nName=Browser\nMimeType=x-scheme-handler/https;\n"
            let keys = "X-Handoff-ActivityTypes=NSUserActivityTypeBrowsingWeb;\nDBusActivatable=true\n"
            try world.write(lines + keys, to: "share/applications/org.example.Editor.desktop")
        }
        try await World.runApps(prepare) { _, laptop, desktop in
            try await browser.whileOnBus(on: desktop.bus) {
                try await desktop.watching { watcher in
                    let options = ["--webpage", "https://example.org/", "--title", "Page", "--team-id", "one"]
                    try await laptop.publishing("org.example.draw", options) { _ in
                        try await watcher.until { $0.first?["opensWith"].string == "browser" }
                        #expect(try await desktop.json("continue")["outcome"].string == "browser")
                        #expect(await browser.next() == "Continue Page")
                        let activity = try #require(browser.received)
                        #expect(
                            activity.type == .browsingWeb && activity.webpageURL?.rawValue == "https://example.org/"
                        )
                        #expect(activity.userInfo.isEmpty, "the state is for the apps of its team")
                    }
                }
            }
        }
    }

    @Test(
        "A team that the app's desktop file declares is that of its activities, and another app of the team gets them"
    )
    func declaredTeam() async throws {
        let prepare: @Sendable (World) throws -> Void = { world in
            try world.writeApp("viewer", "X-Handoff-Exec=true\nX-Handoff-TeamID=one")
            // The laptop's daemon has the standard directories below its home.
            let origin = "[Desktop Entry]\nType=Application\nName=Editor\nX-Handoff-TeamID=one\n"
            try world.write(origin, to: ".local/share/applications/org.example.Origin.desktop")
        }
        try await World.runApps(prepare) { _, laptop, desktop in
            try await laptop.log.event("apps.scanned")
            try await laptop.connected { program in
                try await desktop.watching { watcher in
                    let other = try await program.create("org.example.edit", ["Title": .string("A")])
                    try await program.becomeCurrent(other)
                    try await watcher.until { $0.first?["opensWith"].string == "none" }
                    let refused = try await desktop.run("--json", "continue")
                    #expect(try JSON(refused.stderr)["name"].string == "org.handoffd.Error.NotContinuable")
                    let own: [String: Value] = ["Application": .string("org.example.Origin")]
                    let id = try await watcher.one()["id"]
                    try await program.becomeCurrent(try await program.create("org.example.edit", own))
                    try await watcher.until {
                        $0.count == 1 && $0[0]["id"] != id && $0[0]["application"].string == "viewer"
                    }
                    #expect(try await desktop.json("continue")["application"].string == "viewer")
                    #expect(try await desktop.json("continue", "--print")["teamID"].string == "one")
                }
            }
        }
    }

    @Test(
        "`continue` takes the nearest activity that can be continued here; each type of one origin has an app of its own"
    )
    func nearestContinuable() async throws {
        let prepare: @Sendable (World) throws -> Void = { world in
            for name in ["draw", "write"] {
                let head = "[Desktop Entry]\nType=Application\nName=N\nX-Handoff-Exec=true\n"
                let type = "X-Handoff-ActivityTypes=org.example.\(name);\n"
                try world.write(head + type, to: "share/applications/\(name).desktop")
            }
        }
        try await World.runApps(prepare) { world, laptop, desktop in
            try await world.withDevice("tablet") { tablet in
                try await tablet.trustEachOther(desktop)
                try world.write("rssi desktop tablet -40\nrssi desktop laptop -70\n", to: "air/air")
                try await desktop.watching { watcher in
                    try await tablet.publishing("org.example.edit") { _ in
                        try await watcher.until { $0.count == 1 }
                        let none = try await desktop.run("continue", "--nearest")
                        #expect(none.status == 4 && none.stderr.contains("Nothing on this device opens any of"))
                        try await laptop.publishing("org.example.draw") { _ in
                            let rows = try await watcher.until {
                                $0.count == 2 && $0[0]["deviceName"].string == "tablet"
                            }
                            #expect(rows.map(\.["opensWith"].string) == ["none", "app"])
                            #expect(try await desktop.json("continue")["application"].string == "draw")
                            #expect(try await desktop.json("continue", "--print")["deviceName"].string == "tablet")
                            #expect(
                                try await desktop.json("continue", "--nearest", "--print")["deviceName"].string
                                    == "laptop"
                            )
                        }
                        try await laptop.publishing("org.example.write") { _ in
                            try await watcher.until { $0.contains { $0["application"].string == "write" } }
                            #expect(try await desktop.json("continue")["application"].string == "write")
                        }
                    }
                }
            }
        }
    }

    @Test("An app on the bus without a service file is started by its command line, and gets the activity then")
    func startedByExec() async throws {
        let app = AppProcess { _ in .yes }
        try await World.runApps({ _ in }) { world, laptop, desktop in
            try app.installWithoutService(in: world, on: desktop.bus)
            try await app.whileOnBus(on: desktop.bus) {
                try await desktop.watching { watcher in
                    try await laptop.publishing("org.example.edit") { _ in
                        try await watcher.until { $0.first?["opensWith"].string == "app" }
                        #expect(try await desktop.json("continue")["application"].string == "org.example.Editor")
                        app.expectOneResult(isFailure: false)
                        let first = app.calls.first?.process
                        // It runs now, and is not started again.
                        #expect(try await desktop.json("continue")["application"].string == "org.example.Editor")
                        #expect(Set(app.calls.map(\.process)) == [first])
                    }
                }
            }
            app.terminate()
        }
    }

    @Test("An app on the bus whose command line fails gets nothing, and the user an error")
    func failsByExec() async throws {
        let prepare: @Sendable (World) throws -> Void = { world in
            try world.writeApp("org.example.Editor", "Implements=org.handoffd.Application1;\nExec=false")
        }
        try await World.runApps(prepare) { _, laptop, desktop in
            try await desktop.watching { watcher in
                try await laptop.publishing("org.example.edit") { _ in
                    try await watcher.until { $0.first?["opensWith"].string == "app" }
                    let result = try await desktop.run("--json", "continue")
                    #expect(try JSON(result.stderr)["name"].string == "org.handoffd.Error.AppFailed")
                    #expect(result.stderr.contains("org.example.Editor could not be started"))
                }
            }
        }
    }

    @Test("A program gets all properties of the activity, and the device from which it came")
    func wholeActivity() async throws {
        let prepare: @Sendable (World) throws -> Void = { world in
            let received = world.directory.appending(path: "received").path()
            try world.writeApp("cat", "X-Handoff-Exec=sh -c \"cat > \(received)\"\nX-Handoff-TeamID=one")
        }
        try await World.runApps(prepare) { world, laptop, desktop in
            let options = [
                "--team-id", "one", "--required-key", "a", "--expires", "2999-01-01T00:00:00Z", "--target-content",
                "window",
                "--persistent-id", "p7", "--title", "T", "--user-info", #"{"a": 1, "b": 2}"#,
            ]
            try await desktop.watching { watcher in
                try await laptop.publishing("org.example.edit", options) { _ in
                    try await watcher.until { $0.first?["application"].string == "cat" }
                    #expect(try await desktop.json("continue")["application"].string == "cat")
                    try await desktop.log.event("app.ended")
                    let file = world.directory.appending(path: "received")
                    let received = try JSON(String(contentsOf: file, encoding: .utf8))
                    #expect(received == (try await desktop.json("continue", "--print", "--take")))
                    #expect(received["device"].string == (try await laptop.id))
                    #expect(received["teamID"].string == "one" && received["title"].string == "T")
                    #expect(received["requiredUserInfoKeys"].array.map(\.string) == ["a"])
                    #expect(received["expirationDate"].string == "2999-01-01T00:00:00Z")
                    #expect(received["targetContentIdentifier"].string == "window")
                    #expect(received["persistentIdentifier"].string == "p7")
                    #expect(try received["userInfo"] == JSON(#"{"a": 1}"#))
                }
            }
        }
    }

    @Test("Of two apps for one type, the list names that of the activity's team, and it alone is called")
    func otherTeam() async throws {
        let app = RecordingApp()
        let prepare: @Sendable (World) throws -> Void = { world in
            try world.writeApp("org.example.Editor", "DBusActivatable=true\nX-Handoff-TeamID=one")
            try world.writeApp("z", "X-Handoff-Exec=true")
        }
        try await World.runApps(prepare) { _, laptop, desktop in
            try await app.whileOnBus(on: desktop.bus) {
                try await desktop.watching { watcher in
                    try await laptop.publishing("org.example.edit", ["--team-id", "two"]) { _ in
                        try await watcher.until { $0.first?["opensWith"].string == "none" }
                        let result = try await desktop.run("--json", "continue")
                        #expect(try JSON(result.stderr)["name"].string == "org.handoffd.Error.NotContinuable")
                    }
                    try await watcher.none()
                    try await laptop.publishing("org.example.edit") { _ in
                        try await watcher.until { $0.first?["application"].string == "z" }
                        #expect(try await desktop.json("continue")["application"].string == "z")
                    }
                    try await watcher.none()
                    try await laptop.publishing("org.example.edit", ["--team-id", "one"]) { _ in
                        try await watcher.until { $0.first?["application"].string == "org.example.Editor" }
                        _ = try await desktop.json("continue")
                        #expect(await app.next() == "WillContinue org.example.edit from laptop")
                        #expect(await app.next().hasPrefix("Continue"), "it was told of nothing before")
                    }
                }
            }
        }
    }
}
