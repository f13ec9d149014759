import Foundation
import HandoffTestSupport
import TestLimits
import Testing

@Suite(
    "A program of 40 lines in Python uses every part of the D-Bus interface",
    .endsWithin(minutes: 15, instances: 4)
)
struct BookStories {
    @Test("The book of Docs/Adopting.md is continued on the other device, and its text is sent in a stream")
    func book() async throws {
        let prepare: @Sendable (World) throws -> Void = { world in
            try world.write(try Self.program(), to: "book.py")
            try world.write(String(repeating: "Call me Ishmael.\n", count: 20_000), to: "text")
            let entry = "[Desktop Entry]\nType=Application\nName=Book\nDBusActivatable=true\n"
            let claim = "X-Handoff-ActivityTypes=org.example.book.reading;\n"
            try world.write(entry + claim, to: "share/applications/org.example.Book.desktop")
        }
        try await World.runApps(prepare) { world, laptop, desktop in
            let program = world.directory.appending(path: "book.py").path()
            let text = world.directory.appending(path: "text").path()
            try await Self.running([program, text], on: laptop.bus) { here in
                try await here.line(containing: "reading 340000 bytes")
                try await Self.running([program], on: desktop.bus) { there in
                    try await there.line(containing: "reading 0 bytes")
                    try await desktop.watching { watcher in
                        try await watcher.until { $0.first?["applicationName"].string == "Book" }
                        #expect(try await desktop.json("continue")["application"].string == "org.example.Book")
                    }
                    try await there.line(containing: "page 7 of 340000 bytes")
                }
            }
        }
    }

    private static func running(
        _ arguments: [String],
        on bus: PrivateBus,
        _ body: @escaping @Sendable (Transcript) async throws -> Void
    ) async throws {
        try await withProgram("/usr/bin/python3", arguments, environment: bus.environment) { process in
            let shown = Transcript()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await shown.collect(process.stdout) }
                group.addTask {
                    defer { process.kill() }
                    try await body(shown)
                }
                try await group.waitForAll()
            }
        }
    }

    /// The program of the section on streams, which is at most 40 lines long.
    private static func program() throws -> String {
        let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Docs/Adopting.md")
        let blocks = try String(contentsOf: page, encoding: .utf8).components(separatedBy: "```python\n").dropFirst()
        let programs = blocks.map { $0.components(separatedBy: "```")[0] }
        let program = try #require(programs.first { $0.contains("DidReceiveStream") })
        #expect(program.split(separator: "\n", omittingEmptySubsequences: false).count <= 41)
        return program
    }
}
