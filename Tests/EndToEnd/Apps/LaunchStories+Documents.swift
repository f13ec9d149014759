import DBus
import Foundation
import HandoffBus
import HandoffModel
import HandoffTestSupport
import Testing
import TestLimits

/// What becomes of documents.
extension LaunchStories {
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
                    try await watcher.until { $0.first?["opensWith"].string == "document" }
                    let result = try await desktop.json("continue", "--activation-token", "T2")
                    #expect(result["outcome"].string == "document")
                    #expect(result["application"].string == "reader")
                    let record = try await Self.record(world, desktop)
                    #expect(record == "\(world.directory.path())/my docs/a draft.txt T2 T2\n")
                }
            }
        }
    }

    @Test("A document in the place of a web page that was offered opens only once it is offered itself")
    func documentInsteadOfPage() async throws {
        let prepare: @Sendable (World) async throws -> Void = { world in
            try await Self.writeRecorder(world)
            let entry = "[Desktop Entry]\nType=Application\nName=N\nMimeType=text/plain;\nExec=recorder %f\n"
            try world.write(entry, to: "share/applications/reader.desktop")
            try world.write("[Default Applications]\ntext/plain=reader.desktop\n", to: ".config/mimeapps.list")
        }
        try await World.runApps(prepare) { world, laptop, desktop in
            _ = try await Self.document(world, laptop, desktop)
            let url = "file://\(world.directory.path())/my%20docs/a%20draft.txt"
            try await laptop.connected { program in
                let editor = Editor { activity in
                    try await program.set(["WebpageURL": .string(""), "DocumentURL": .string(url)], of: activity)
                }
                let page = ["WebpageURL": Value.string("https://example.org/")]
                _ = try await editor.open("org.example.draw", page, over: program)
                try await desktop.watching { watcher in
                    try await watcher.until { $0.first?["opensWith"].string == "browser" }
                    let result = try await desktop.run("--json", "continue")
                    #expect(try JSON(result.stderr)["name"].string == "org.handoffd.Error.NoLongerCurrent")
                    try await watcher.until { $0.first?["opensWith"].string == "document" }
                    #expect(try await desktop.json("continue")["outcome"].string == "document")
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

    @Test("A document whose app declines the activity opens in that app, if it opens documents of that kind")
    func sameApp() async throws {
        let app = RecordingApp(accepts: false)
        let prepare: @Sendable (World) throws -> Void = { world in
            try world.writeApp("org.example.Editor", "DBusActivatable=true\nMimeType=text/plain;")
            let entry = "[Desktop Entry]\nType=Application\nName=R\nMimeType=text/plain;\nExec=false\n"
            try world.write(entry, to: "share/applications/reader.desktop")
            try world.write("[Default Applications]\ntext/plain=reader.desktop\n", to: ".config/mimeapps.list")
        }
        try await World.runApps(prepare) { world, laptop, desktop in
            let options = try await Self.document(world, laptop, desktop) + ["--webpage", "https://example.org/"]
            let reader = Reader()
            let interfaces = [Interface.application(app), reader.interface]
            try await desktop.bus.withService("org.example.Editor", at: "/org/example/Editor", interfaces) { _ in
                try await desktop.watching { watcher in
                    try await laptop.publishing("org.example.edit", options) { _ in
                        try await watcher.until { $0.first?["opensWith"].string == "app" }
                        let result = try await desktop.json("continue")
                        #expect(result["outcome"].string == "document")
                        #expect(result["application"].string == "org.example.Editor")
                        #expect(await reader.next().hasSuffix("/my%20docs/a%20draft.txt  "))
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
        let path = try ObjectPath("/" + name.split(separator: ".").joined(separator: "/"))
        try await bus.withService(try BusName(name), at: path, [interface]) { _ in try await body() }
    }

    /// `org.freedesktop.Application` of the app.
    var interface: Interface {
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
        return Interface(name: "org.freedesktop.Application", methods: [open])
    }
}
