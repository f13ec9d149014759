import Foundation
import HandoffTestSupport
import TestLimits
import Testing

@Suite("A document's default app is found and started as its desktop file says", .endsWithin(minutes: 15, instances: 4))
struct DefaultAppStories {
    /// Other apps than the first one, a document, and what is started for it.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Lines of the desktop file of the default app.
        let lines: String
        /// The name of the document, and its content.
        var document = ("a draft.txt", "Hello\n")
        /// The app that opens the document, and the words that its program gets, in which `PATH` is that of the document.
        var app = "a"
        let words: String
        /// The directory in which it runs; nil for any.
        var directory: String?
    }

    private static let cases = [
        Case(
            testDescription: "field codes inside arguments",
            lines: "Exec=recorder --title %c --file=%f",
            words: "--title|An app|--file=PATH|"
        ),
        Case(testDescription: "a directory", lines: "Path=/usr\nExec=recorder %f", words: "PATH|", directory: "/usr"),
        Case(testDescription: "a key twice", lines: "Keywords=a;\nKeywords=b;\nExec=recorder %f", words: "PATH|"),
        Case(testDescription: "a path for %u", lines: "Exec=recorder %u", words: "PATH|"),
        Case(
            testDescription: "a terminal",
            lines: "Terminal=true\nExec=recorder --in %f",
            words: "-e|recorder|--in|PATH|"
        ),
        Case(testDescription: "a program that is gone", lines: "Exec=/opt/gone/App %f", app: "b", words: "b|PATH|"),
        Case(
            testDescription: "a directory that is gone",
            lines: "Path=/gone\nExec=recorder %f",
            app: "b",
            words: "b|PATH|"
        ),
        Case(
            testDescription: "a program that a shell does not find",
            lines: "Exec=sh -c 'gone \"$0\"' %f",
            app: "b",
            words: "b|PATH|"
        ),
        Case(
            testDescription: "a program that crashes",
            lines: "Exec=sh -c 'kill -SEGV $$' %f",
            app: "b",
            words: "b|PATH|"
        ),
        Case(
            testDescription: "an app on the bus that the bus does not know, without a program",
            lines: "DBusActivatable=true",
            app: "b",
            words: "b|PATH|"
        ),
        Case(
            testDescription: "a name that says nothing",
            lines: "Exec=recorder %f",
            document: ("notes", "Hello\n"),
            words: "PATH|"
        ),
        Case(
            testDescription: "a name that would end a quote",
            lines: #"Exec=sh -c "recorder %f""#,
            document: (#"a'; recorder 'b" $(x).txt"#, "Hello\n"),
            words: "PATH|"
        ),
    ]

    @Test("The app and its arguments are those of the desktop file, or of the next app", arguments: cases)
    func started(_ story: Case) async throws {
        let name = story.lines.hasPrefix("DBusActivatable") ? "org.example.A" : "a"
        let prepare: @Sendable (World) async throws -> Void = { world in
            let recorder = """
                #!/bin/sh
                { pwd; printf '%s|' "$@"; } > "$HOME/new"
                mv "$HOME/new" "$HOME/record"

                """
            for program in ["recorder", "x-terminal-emulator"] {
                try await world.writeProgram(recorder, to: "bin/\(program)")
            }
            let head = "[Desktop Entry]\nType=Application\nName=An app\nMimeType=text/plain;\n"
            try world.write(head + story.lines + "\n", to: "elsewhere/\(name).desktop")
            try world.write(head + "Exec=recorder b %f\n", to: "share/applications/b.desktop")
            // As GNU Stow and Nix do it.
            try FileManager.default.createSymbolicLink(
                at: world.directory.appending(path: "share/applications/linked"),
                withDestinationURL: world.directory.appending(path: "elsewhere")
            )
            try world.write(
                "[Default Applications]\ntext/plain=linked-\(name).desktop\n",
                to: ".config/mimeapps.list"
            )
        }
        try await World.runApps(prepare) { world, laptop, desktop in
            let document = try await Self.document(story, world, laptop, desktop)
            try await desktop.watching { watcher in
                try await laptop.publishing("org.example.draw", document.options) { _ in
                    try await watcher.until { $0.first?["opensWith"].string == "document" }
                    let result = try await desktop.json("continue")
                    #expect(result["outcome"].string == "document")
                    let app = story.app == "b" ? "b" : "linked-\(name)"
                    #expect(result["application"].string == app)
                    try await world.waitUntilWritten("record")
                    let record = try #require(try world.written("record")).split(separator: "\n", maxSplits: 1)
                    #expect(record.last.map(String.init) == story.words.replacing("PATH", with: document.path))
                    #expect(story.directory == nil || record.first.map(String.init) == story.directory)
                }
            }
        }
    }

    /// Writes the document of a case, which both devices have.
    ///
    /// - Returns: its path, and the options that publish it.
    private static func document(
        _ story: Case,
        _ world: World,
        _ laptop: Device,
        _ desktop: Device
    ) async throws -> (path: String, options: [String]) {
        try world.write(story.document.1, to: "my docs/\(story.document.0)")
        try world.write("50:text/plain:*.txt\n", to: "share/mime/globs2")
        let folder = world.directory.appending(path: "my docs").path(percentEncoded: false)
        for device in [laptop, desktop] { _ = try await device.json("folders", "add", "docs", folder) }
        let path = folder + "/" + story.document.0
        let url = URL(filePath: path).absoluteString
        return (path, ["--user-info", #"{"NSUserActivityDocumentURLKey": {"$url": "\#(url)"}}"#])
    }
}
