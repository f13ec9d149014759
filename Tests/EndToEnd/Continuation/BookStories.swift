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
            try world.write(try Repository.adoptingProgram(containing: "DidReceiveStream"), to: "book.py")
            try world.write(String(repeating: "Call me Ishmael.\n", count: 20_000), to: "text")
            let entry = "[Desktop Entry]\nType=Application\nName=Book\nDBusActivatable=true\n"
            let claim = "X-Handoff-ActivityTypes=org.example.book.reading;\n"
            try world.write(entry + claim, to: "share/applications/org.example.Book.desktop")
        }
        try await World.runApps(prepare) { world, laptop, desktop in
            let program = world.directory.appending(path: "book.py").path()
            let text = world.directory.appending(path: "text").path()
            try await withTranscript(of: "/usr/bin/python3", [program, text], environment: laptop.bus.environment) {
                _,
                here in
                try await here.line(containing: "reading 340000 bytes")
                try await withTranscript(of: "/usr/bin/python3", [program], environment: desktop.bus.environment) {
                    _,
                    there in
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
}
