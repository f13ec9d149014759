import Foundation
import HandoffTestSupport
import TestLimits
import TestRuns
import Testing

@Suite("A disk that does not answer delays only the calls that write to it", .endsWithin(minutes: 15, instances: 6))
struct DiskStories {
    @Test("While a change cannot be written, every call that needs no disk is answered")
    func slowDisk() async throws {
        try await World.runPair { world, laptop, desktop in
            try await desktop.publishing("org.example.edit", ["--title", "Report"]) { _ in
                try await laptop.watching { _ = try await $0.one() }
                // A write that begins before the pipe is there may open it all the same, and the name's waits behind it.
                let start = laptop.log.lines.count
                let id = try await desktop.id
                let pipe = try Pipe(named: ".devices.new", in: world.stateDirectory(of: "laptop"))
                try await laptop.withControl(["devices", "rename", id, "Travel"]) { rename, _ in
                    try await laptop.log.event("state.writing", from: start)
                    try await Self.useWithoutDisk(laptop, beside: desktop)
                    #expect(try await laptop.json("devices").array.map(\.["name"].string) == ["desktop"])
                    // The disk answers: the pipe accepts the file's contents, and then fails to be synchronised.
                    #expect(try await pipe.takeAway().hasPrefix("handoffd devices"))
                    // It fails, unless it has waited behind the write of when the desktop was heard last.
                    _ = await rename.exitStatus()
                }
                _ = try await laptop.json("devices", "rename", id, "Travel")
                #expect(try await laptop.json("devices").array.map(\.["name"].string) == ["Travel"])
            }
        }
    }

    /// Makes every call that needs no disk.
    private static func useWithoutDisk(_ laptop: Device, beside desktop: Device) async throws {
        #expect(try await laptop.json("status")["deviceName"].string == "laptop")
        #expect(try await laptop.json("nearby").array.count == 1)
        #expect(try await laptop.json("continue", "--print")["title"].string == "Report")
        #expect(try await laptop.json("devices", "card")["card"].string.hasPrefix("handoff2:"))
        _ = try await laptop.json("apps")
        _ = try await laptop.json("folders")
        try await laptop.publishing("org.example.draw") { _ in
            try await desktop.watching { _ = try await $0.one() }
            #expect(try await desktop.json("continue", "--print")["type"].string == "org.example.draw")
        }
    }
}

/// A pipe in place of a file that a daemon writes, which makes the daemon wait until the pipe is read.
private struct Pipe {
    let path: String

    init(named name: String, in directory: String) throws {
        path = directory + "/" + name
        guard mkfifo(path, 0o600) == 0 else { throw CocoaError(.fileWriteUnknown) }
    }

    /// Moves the pipe away from later writes, and returns what is written into it until its writer closes it.
    func takeAway() async throws -> String {
        let away = path + ".away"
        try FileManager.default.moveItem(atPath: path, toPath: away)
        return try await HandoffTestSupport.run("/bin/cat", [away]).stdout
    }
}
