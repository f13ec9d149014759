import Foundation
import HandoffBus
import HandoffTestSupport
import TestLimits
import Testing

@Suite("What a program refuses for good is opened by nothing", .endsWithin(minutes: 15, instances: 5))
struct RefusedDocumentStories {
    /// A program of Extensions, and documents by whose names it is asked for.
    struct Program: Sendable, CustomTestStringConvertible {
        let name: String
        let type: String
        let document: String
        let mediaType: String
        /// What such a document begins with.
        let content: [UInt8]
        /// What only has the name of one.
        let other: [UInt8]

        var testDescription: String { name }
    }

    private static let programs = [
        Program(
            name: "Office",
            type: "org.handoffd.document.office",
            document: "report.fodt",
            mediaType: "application/vnd.oasis.opendocument.text-flat-xml",
            content: Array("<!-- 1 --><office:document>".utf8),
            other: Array("<html><img src='http://evil.example/'></html>".utf8)
        ),
        Program(
            name: "Viewer",
            type: "org.handoffd.document.pages",
            document: "plan.pdf",
            mediaType: "application/pdf",
            content: Array("%PDF-1.4\n".utf8),
            other: Array("<html></html>".utf8)
        ),
        Program(
            name: "Media",
            type: "org.handoffd.media",
            document: "song.mp3",
            mediaType: "audio/mpeg",
            content: [0xFF, 0xFB, 0x90, 0x64] + [UInt8](repeating: 0, count: 413),
            other: Array("#EXTM3U\nhttp://evil.example/\n".utf8)
        ),
        Program(
            name: "Edit",
            type: "org.handoffd.document.text",
            document: "notes.txt",
            mediaType: "text/plain",
            content: Array("Hello\n".utf8),
            other: [0x7F, 0x45, 0x4C, 0x46, 0]
        ),
    ]

    @Test(
        "What only has the name of a document is not opened, also by its default app, and the user is told why",
        arguments: programs
    )
    func refused(_ program: Program) async throws {
        try await Self.run(program, program.other) { world, desktop in
            let result = try await desktop.run("--json", "continue")
            #expect(try JSON(result.stderr)["name"].string == "org.handoffd.Error.NotContinuable")
            #expect(result.stderr.contains("Nothing is opened."), "\(result.stderr)")
            #expect(try world.written("opened") == nil)
            let notes = try #require(try world.written("notes"))
            #expect(notes.contains("Not opened") && notes.contains(program.document), "\(notes)")
        }
    }

    @Test("A document for which no program is here opens in its default app, and nothing is told", arguments: programs)
    func absent(_ program: Program) async throws {
        try await Self.run(program, program.content) { world, desktop in
            let result = try await desktop.json("continue")
            #expect(result["outcome"].string == "document" && result["application"].string == "reader")
            try await world.waitUntilWritten("opened")
            #expect(try world.written("opened")?.contains("my docs/\(program.document)") == true)
            #expect(try world.written("notes") == nil)
        }
    }

    @Test(
        "A program that refuses keeps the web page and the document closed; one that is missing leaves them to others"
    )
    func status() async throws {
        for status in [65, 66, 75, 69] {
            try await World.runApps({ world in
                try Self.prepare(world)
                try await Self.writeRecorders(world)
                try world.writeApp("a", "X-Handoff-Exec=sh -c \"exit \(status)\"")
                try world.write("Hello\n", to: "my docs/notes.txt")
            }) { world, laptop, desktop in
                let page = ["--webpage", "https://example.org/"]
                let options = try await Self.document("notes.txt", world, laptop, desktop) + page
                try await laptop.publishing("org.example.edit", options) { _ in
                    let entry = try await desktop.watchingOnce()
                    try await desktop.connected { user in
                        let outcome = await Result { try await user.continueActivity(entry) }
                        guard status != 69 else {
                            let result = try outcome.get()
                            return #expect(result.outcome == "browser")
                        }
                        let opened = try world.written("opened")
                        #expect(outcome.errorMessage.contains("Nothing is opened"), "\(outcome.errorMessage)")
                        #expect(opened == nil)
                    }
                }
            }
        }
    }

    /// Runs `story` with a desktop that has the programs of Extensions, a default app for all documents, no editor and no
    /// display, and an activity of the laptop about a document.
    private static func run(
        _ program: Program,
        _ content: [UInt8],
        _ story: @escaping @Sendable (World, _ desktop: Device) async throws -> Void
    ) async throws {
        try await World.run { world in
            try prepare(world)
            try await writeRecorders(world)
            try await installExtensions(in: world)
            let file = world.directory.appending(path: "my docs/\(program.document)")
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try Data(content).write(to: file)
            let none = [
                "DISPLAY": "", "WAYLAND_DISPLAY": "", "VISUAL": "", "EDITOR": "", "TMPDIR": world.directory.path(),
            ]
            let variables = world.appVariables.merging(none) { _, new in new }
            try await world.withDevice("laptop") { laptop in
                try await withPrivateBus { bus in
                    try await world.withDaemon("desktop", on: bus, variables: variables) { desktop in
                        try await laptop.trustEachOther(desktop)
                        let options = try await document(program.document, world, laptop, desktop)
                        try await desktop.watching { watcher in
                            try await laptop.publishing(program.type, options) { _ in
                                let id = "org.handoffd.\(program.name)"
                                try await watcher.until { $0.first?["application"].string == id }
                                try await story(world, desktop)
                            }
                        }
                    }
                }
            }
        }
    }

    /// Writes what assigns MIME types to the documents, and their default app.
    private static func prepare(_ world: World) throws {
        let kinds = programs.map { ($0.mediaType, $0.document.split(separator: ".").last ?? "") }
        try world.write(kinds.map { "50:\($0):*.\($1)\n" }.joined(), to: "share/mime/globs2")
        let types = kinds.map { "\($0.0);" }.joined()
        let entry = "[Desktop Entry]\nType=Application\nName=Reader\nMimeType=\(types)\nExec=reader %f\n"
        try world.write(entry, to: "share/applications/reader.desktop")
        let lines = kinds.map { "\($0.0)=reader.desktop\n" }.joined()
        try world.write("[Default Applications]\n" + lines, to: ".config/mimeapps.list")
        try world.write("[edit]\neditors =\n", to: ".config/handoff/edit.conf")
    }

    /// Writes programs that record what they are told: the default app, the one for web pages, and for notifications.
    private static func writeRecorders(_ world: World) async throws {
        for (name, file) in [("reader", "opened"), ("xdg-open", "opened"), ("notify-send", "notes")] {
            // As a whole: whoever sees it sees all of it.
            let record = "echo \"$*\" > \"$HOME/\(file).new\" && mv \"$HOME/\(file).new\" \"$HOME/\(file)\""
            try await world.writeProgram("#!/bin/sh\n\(record)\n", to: "bin/\(name)")
        }
    }

    /// Installs the programs of Extensions with their desktop files.
    private static func installExtensions(in world: World) async throws {
        let words = ["-s", "-C", Repository.file("").path(), "install-extensions", "PREFIX=\(world.directory.path())"]
        let made = try await HandoffTestSupport.run("/usr/bin/make", words)
        try #require(made.status == 0, "\(made.stderr)")
    }

    /// The options that publish a document that both devices have.
    private static func document(
        _ name: String,
        _ world: World,
        _ laptop: Device,
        _ desktop: Device
    ) async throws -> [String] {
        let folder = world.directory.appending(path: "my docs").path(percentEncoded: false)
        for device in [laptop, desktop] { _ = try await device.json("folders", "add", "docs", folder) }
        let url = "file://\(world.directory.path())/my%20docs/\(name)"
        return ["--user-info", #"{"NSUserActivityDocumentURLKey": {"$url": "\#(url)"}}"#]
    }
}

extension World {
    /// What a program has written into a file; nil for nothing.
    func written(_ file: String) throws -> String? {
        let file = directory.appending(path: file)
        guard FileManager.default.fileExists(atPath: file.path()) else { return nil }
        return try String(contentsOf: file, encoding: .utf8)
    }

    /// Waits until a program has written a file.
    func waitUntilWritten(_ file: String) async throws {
        try await untilFiles(in: [directory], "the file \(file)") {
            FileManager.default.fileExists(atPath: directory.appending(path: file).path())
        }
    }
}
