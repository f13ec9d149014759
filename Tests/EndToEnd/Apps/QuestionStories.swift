import Foundation
import HandoffTestSupport
import TestLimits
import Testing

@Suite(
    "What may start a program is opened only when the user has agreed",
    .endsWithin(minutes: 5, instances: 6)
)
struct QuestionStories {
    @Test("The question names the document, its type and the app; the answer is remembered until it is forgotten")
    func question() async throws {
        try await Self.offering("work.remmina", type: "application/x-remmina", kinds: "") { world, desktop, file in
            let refused = try await desktop.run("--json", "continue")
            #expect(refused.status == 1)
            #expect(try JSON(refused.stderr)["name"].string == "org.handoffd.Error.DocumentIsProgram")
            for part in ["work.remmina", "application/x-remmina", "reader"] { #expect(refused.stderr.contains(part)) }
            #expect(try await desktop.json("continue", "--open-program")["application"].string == "reader")
            #expect(try await LaunchStories.record(world, desktop).hasPrefix(file))
            #expect(try await desktop.json("continue")["application"].string == "reader")
            let confirmed = try await desktop.json("apps", "--confirmed").array
            #expect(confirmed.map { [$0["type"].string, $0["app"].string] } == [["application/x-remmina", "reader"]])
            #expect(try await desktop.json("apps", "--forget", "application/x-remmina", "reader").array == [])
            #expect(try await desktop.run("continue").status == 1)
            #expect(try await desktop.run("apps", "--forget", "application/x-remmina", "reader").status != 0)
        }
    }

    @Test(
        "Data and pictures open without a question, whatever the database derives them from and whatever their mode is",
        arguments: [
            ("route.geojson", "application/geo+json", "application/geo+json application/javascript\n"),
            ("photo.png", "image/png", "image/png application/x-executable\n"),
        ]
    )
    func inert(name: String, type: String, kinds: String) async throws {
        try await Self.offering(name, type: type, kinds: kinds) { world, desktop, file in
            #expect(chmod(file, 0o755) == 0)
            let result = try await desktop.json("continue")
            #expect(result["application"].string == "reader")
            let record = try await LaunchStories.record(world, desktop)
            #expect(record.hasPrefix(file))
        }
    }

    @Test("Data that only an app for scripts opens need the question")
    func supertype() async throws {
        let kinds = "application/geo+json application/javascript\n"
        try await Self.offering(
            "route.geojson",
            type: "application/geo+json",
            kinds: kinds,
            claimed: "application/javascript"
        ) { _, desktop, _ in
            let refused = try await desktop.run("continue")
            #expect(refused.status == 1)
            #expect(refused.stderr.contains("application/geo+json"))
        }
    }

    @Test("An answer does not count for another document that has come meanwhile")
    func otherDocument() async throws {
        try await Self.offering("work.remmina", type: "application/x-remmina", kinds: "") { world, desktop, _ in
            let refused = try await desktop.run("continue")
            #expect(refused.status == 1)
            try world.write("50:application/x-shellscript:*.remmina\n", to: "share/mime/globs2")
            let head =
                "[Desktop Entry]\nType=Application\nName=N\nExec=recorder %f\n"
                + "MimeType=application/x-shellscript;\n"
            try world.write(head, to: "share/applications/reader.desktop")
            let again = try await desktop.run("continue", "--open-program")
            #expect(again.status == 1)
            #expect(again.stderr.contains("application/x-shellscript"))
        }
    }

    /// Runs `body` while a document of a shared folder is offered, for which this device has an app.
    private static func offering(
        _ name: String,
        type: String,
        kinds: String,
        claimed: String? = nil,
        _ body: @escaping @Sendable (World, Device, String) async throws -> Void
    ) async throws {
        let prepare: @Sendable (World) async throws -> Void = { world in
            try await LaunchStories.writeRecorder(world)
            let head = "[Desktop Entry]\nType=Application\nName=N\nExec=recorder %f\nMimeType=\(claimed ?? type);\n"
            try world.write(head, to: "share/applications/reader.desktop")
        }
        try await World.runApps(prepare) { world, laptop, desktop in
            _ = try await LaunchStories.document(world, laptop, desktop)
            let suffix = name.drop { $0 != "." }
            try world.write("50:\(type):*\(suffix)\n", to: "share/mime/globs2")
            try world.write(kinds, to: "share/mime/subclasses")
            try world.write("precommand=true\n", to: "my docs/\(name)")
            let file = world.directory.appending(path: "my docs/\(name)").path(percentEncoded: false)
            try await desktop.watching { watcher in
                try await laptop.publishing("org.example.draw", ["--document", file]) { _ in
                    try await watcher.until { $0.first?["opensWith"].string == "document" }
                    try await body(world, desktop, file)
                }
            }
        }
    }
}
