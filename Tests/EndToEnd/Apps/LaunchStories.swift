import DBus
import Foundation
import HandoffBus
import HandoffTestSupport
import TestLimits
import Testing

@Suite(
    "Programs and documents are opened by the rules of the desktop",
    .endsWithin(minutes: 15, instances: 4)
)
struct LaunchStories {
    /// Installs a program that writes its arguments and activation tokens to a file.
    private static func writeRecorder(_ world: World) async throws {
        let text = "#!/bin/sh\necho \"$@ $XDG_ACTIVATION_TOKEN $DESKTOP_STARTUP_ID\" > \"$HOME/record\"\necho on air\n"
        try await world.writeProgram(text, to: "bin/recorder")
    }

    private static func record(_ world: World, _ desktop: Device) async throws -> String {
        try await desktop.log.event("app.ended")
        return try String(contentsOf: world.directory.appending(path: "record"), encoding: .utf8)
    }

    /// Writes a document that both devices have, and the file that assigns its MIME type.
    ///
    /// - Returns: the options that publish it.
    private static func document(_ world: World, _ laptop: Device, _ desktop: Device) async throws -> [String] {
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

    @Test("If the first app belongs to another team, it gets the error and the next app gets the activity")
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
                        try await watcher.until { $0.first?["application"].string == "org.example.Editor" }
                        let result = try await desktop.run("--json", "continue")
                        #expect(try JSON(result.stderr)["name"].string == "org.handoffd.Error.NotContinuable")
                        #expect(await app.next().hasPrefix("WillContinue"))
                        #expect(await app.next() == "DidFail org.handoffd.Error.NotContinuable")
                    }
                    try await watcher.none()
                    try await laptop.publishing("org.example.edit") { _ in
                        try await watcher.until { $0.first?["application"].string == "org.example.Editor" }
                        #expect(try await desktop.json("continue")["application"].string == "z")
                        #expect(await app.next().hasPrefix("WillContinue"))
                        #expect(await app.next() == "DidFail org.handoffd.Error.NotContinuable")
                    }
                }
            }
        }
    }

    @Test("A document that no app claims opens with the command line of the default app of its MIME type")
    func document() async throws {
        let prepare: @Sendable (World) async throws -> Void = { world in
            try await Self.writeRecorder(world)
            let head = "[Desktop Entry]\nType=Application\nName=N\nMimeType=text/plain;\n"
            try world.write(head + "Exec=false %f\n", to: "share/applications/a.desktop")
            try world.write(head + "Exec=recorder %f\n", to: "share/applications/reader.desktop")
            try world.write("[Default Applications]\ntext/plain=reader.desktop\n", to: ".config/mimeapps.list")
        }
        try await World.runApps(prepare) { world, laptop, desktop in
            let options = try await Self.document(world, laptop, desktop)
            try await desktop.watching { watcher in
                try await laptop.publishing("org.example.draw", options) { _ in
                    try await watcher.until { $0.first?["opensWith"].string == "none" }
                    let result = try await desktop.json("continue", "--activation-token", "T2")
                    #expect(result["outcome"].string == "document")
                    #expect(result["application"].string == "reader")
                    let record = try await Self.record(world, desktop)
                    #expect(record == "\(world.directory.path())/my docs/a draft.txt T2 T2\n")
                }
            }
        }
    }

    @Test("A document that its app declines opens in an app on the bus, with the activation token")
    func openedOnBus() async throws {
        let (app, reader) = (RecordingApp(accepts: false), Reader())
        let prepare: @Sendable (World) throws -> Void = { world in
            try world.writeApp("org.example.Editor", "DBusActivatable=true")
            let entry = "[Desktop Entry]\nType=Application\nName=R\nMimeType=text/plain;\nDBusActivatable=true\n"
            try world.write(entry, to: "share/applications/org.example.Reader.desktop")
        }
        try await World.runApps(prepare) { world, laptop, desktop in
            let options = try await Self.document(world, laptop, desktop)
            try await app.whileOnBus(on: desktop.bus) {
                try await reader.whileOnBus(on: desktop.bus, as: "org.example.Reader") {
                    try await desktop.watching { watcher in
                        try await laptop.publishing("org.example.edit", options) { _ in
                            try await watcher.until { $0.first?["opensWith"].string == "app" }
                            let result = try await desktop.json("continue", "--activation-token", "T3")
                            #expect(result["application"].string == "org.example.Reader")
                            let opened = await reader.next()
                            #expect(opened.hasSuffix("/my%20docs/a%20draft.txt T3 T3"))
                            #expect(await app.next().hasPrefix("WillContinue"))
                            #expect(await app.next().hasPrefix("Continue"))
                        }
                    }
                }
            }
        }
    }

    @Test("An app on the bus that claims a document and does not implement Application1 opens the document")
    func unmodified() async throws {
        let reader = Reader()
        let prepare: @Sendable (World) throws -> Void = { world in
            let keys = "DBusActivatable=true\nX-Handoff-DocumentTypes=text/plain=org.example.edit;"
            try world.writeApp("org.example.Editor", keys)
        }
        try await World.runApps(prepare) { world, laptop, desktop in
            let options = try await Self.document(world, laptop, desktop)
            try await reader.whileOnBus(on: desktop.bus, as: "org.example.Editor") {
                try await desktop.watching { watcher in
                    try await laptop.publishing("org.example.edit", options) { _ in
                        try await watcher.until { $0.first?["opensWith"].string == "app" }
                        let result = try await desktop.json("continue")
                        #expect(result["application"].string == "org.example.Editor")
                        let opened = await reader.next()
                        #expect(opened.hasSuffix("/my%20docs/a%20draft.txt  "))
                    }
                }
            }
        }
    }
}

/// An app on the bus that opens documents and does not implement `Application1`.
private struct Reader: Sendable {
    private let opened = ReceivedCalls()

    /// The next document that it opens, and the tokens that were passed with it.
    func next() async -> String { await opened.next() }

    /// Runs `body` while the app is on the bus.
    func whileOnBus(
        on bus: PrivateBus,
        as name: String,
        _ body: @escaping @Sendable () async throws -> Void
    ) async throws {
        let open = Method(
            name: "Open",
            inputs: [
                Argument(name: "uris", type: [String].valueType),
                Argument(name: "platform_data", type: [String: Value].valueType),
            ]
        ) { invocation in
            let uris = try invocation.arguments.decode(at: 0, as: [String].self)
            let platform = invocation.arguments[1].stringDictionary ?? [:]
            let tokens = ["activation-token", "desktop-startup-id"].map { platform[$0]?.string ?? "" }
            opened.append((uris + tokens).joined(separator: " "))
            return .reply([])
        }
        let interface = Interface(name: "org.freedesktop.Application", methods: [open])
        let path = try ObjectPath("/" + name.split(separator: ".").joined(separator: "/"))
        try await bus.withService(try BusName(name), at: path, [interface]) { _ in try await body() }
    }
}
