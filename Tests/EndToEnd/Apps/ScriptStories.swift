import Foundation
import HandoffTestSupport
import TestLimits
import Testing

@Suite("The shell scripts in the pages run as they are written", .endsWithin(minutes: 15, instances: 6))
struct ScriptStories {
    @Test("A script publishes what is in a file whenever something has written it, until the file is gone")
    func file() async throws {
        let script = try Repository.shellScript(containing: "inotifywait --quiet", in: "Docs/Adopting.md")
        try await World.runPair { world, laptop, desktop in
            try await Self.write(#"{"name": "Shopping", "id": 42}"#, to: "current", in: world)
            try await Self.running(script, on: laptop) { process in
                try await desktop.poll {
                    // The script may not have looked yet when the file was written before.
                    try await Self.write(#"{"name": "Shopping", "id": 42}"#, to: "current", in: world)
                    guard let preview = try await Self.preview(on: desktop) else { return false }
                    return preview["title"].string == "Shopping" && preview["userInfo"]["note"].number == 42
                }
                try await desktop.watching { watcher in
                    _ = try await watcher.one()
                    let gone = "mv current gone && echo > gone"
                    #expect(try await Self.run(gone, on: laptop).status == 0)
                    try await watcher.none()
                }
                #expect(await process.exitStatus() == 0)
            }
        }
    }

    @Test("A script writes each line that it reads as the state of one activity, until there are no more")
    func lines() async throws {
        let script = try Repository.shellScript(containing: "while read -r line", in: "Docs/handoffctl.md")
        try await World.runPair { world, laptop, desktop in
            for pipe in ["cursor", "end"] {
                try #require(mkfifo(world.directory.appending(path: pipe).path(), 0o600) == 0)
            }
            try await Self.running(script, on: laptop) { process in
                try await Self.running("exec 3> cursor; echo 7 >&3; read -r word < end", on: laptop) { _ in
                    try await desktop.poll { try await Self.preview(on: desktop)?["userInfo"]["line"].number == 7 }
                }
                // The other program has ended, and its pipe with it.
                #expect(await process.exitStatus() == 0)
            }
        }
    }

    @Test("A script that continues the nearest activity shows where, or that it failed, and nothing if there is none")
    func nearest() async throws {
        let script = try Repository.shellScript(containing: "result=$(handoffctl continue", in: "Docs/handoffctl.md")
        let prepare: @Sendable (World) async throws -> Void = { world in
            try await world.writeProgram("#!/bin/sh\n", to: "bin/xdg-open")
            try await world.writeProgram("#!/bin/sh\nprintf '%s\\n' \"$*\" >> told\n", to: "bin/notify-send")
        }
        try await World.runApps(prepare) { world, laptop, desktop in
            let told = world.directory.appending(path: "told")
            #expect(try await Self.run(script, on: desktop, shell: "/bin/bash").status == 0)
            #expect(!FileManager.default.fileExists(atPath: told.path()))
            try await laptop.publishing("org.example.edit") { _ in
                _ = try await desktop.watchingOnce()
                _ = try await Self.run(script, on: desktop, shell: "/bin/bash")
            }
            #expect(try String(contentsOf: told, encoding: .utf8) == "Handoff failed\n")
            try FileManager.default.removeItem(at: told)
            try await desktop.watching { watcher in
                try await watcher.none()
                try await laptop.publishing("org.example.edit", ["--webpage", "https://example.org/"]) { _ in
                    _ = try await watcher.one()
                    #expect(try await Self.run(script, on: desktop, shell: "/bin/bash").status == 0)
                }
            }
            #expect(try String(contentsOf: told, encoding: .utf8) == "Handoff opened by browser\n")
        }
    }

    @Test("A program that waits for its document goes on when that is there")
    func waiting() async throws {
        let page = try Repository.shellScript(containing: "until [ -e", in: "Docs/Adopting.md")
        // What the page leaves to the reader.
        let reading = try #require(page.split(separator: "\n").first { $0.hasPrefix("# …") })
        let program = page.replacing(reading, with: #"folder=$HOME/docs document=$HOME/docs/report.txt"#)
        let prepare: @Sendable (World) async throws -> Void = { world in
            try await world.writeProgram(program, to: "bin/waiting")
            try await world.writeProgram("#!/bin/sh\necho \"$1\" > \"$HOME/edited\"\n", to: "bin/editor")
            try world.writeApp("waiting", "X-Handoff-Exec=waiting\nX-Handoff-Waits=true")
            try world.write("", to: "docs/other.txt")
        }
        try await World.runApps(prepare) { world, laptop, desktop in
            try await laptop.publishing("org.example.edit") { _ in
                _ = try await desktop.watchingOnce()
                async let result = desktop.json("continue")
                let edited = world.directory.appending(path: "edited")
                try await desktop.poll {
                    // The program may have begun to wait after the last change.
                    try await Self.write("text", to: "docs/report.txt", in: world)
                    return FileManager.default.fileExists(atPath: edited.path())
                }
                #expect(try await result["application"].string == "waiting")
                #expect(try String(contentsOf: edited, encoding: .utf8).hasSuffix("/docs/report.txt\n"))
            }
        }
    }

    /// Runs a script in the directory of its world, with the programs of the world and handoffctl.
    private static func run(
        _ script: String,
        on device: Device,
        shell: String = "/bin/sh"
    ) async throws -> ProgramResult {
        try await HandoffTestSupport.run(shell, ["-c", inPlace(script, device)], environment: environment(device))
    }

    /// Runs `body` while a script runs.
    private static func running(
        _ script: String,
        on device: Device,
        _ body: @escaping @Sendable (ChildProcess) async throws -> Void
    ) async throws {
        try await withTranscript(of: "/bin/sh", ["-c", inPlace(script, device)], environment: environment(device)) {
            process,
            _ in
            try await body(process)
        }
    }

    private static func inPlace(_ script: String, _ device: Device) -> String {
        "cd '\(device.world.directory.path())' || exit 9\n\(script)"
    }

    private static func environment(_ device: Device) -> [String: String] {
        let programs = URL(filePath: Programs.handoffctl).deletingLastPathComponent().path()
        let path = "\(device.world.directory.appending(path: "bin").path()):\(programs):/usr/bin:/bin"
        return device.world.environment.merging(device.bus.environment) { _, new in new }
            .merging(["PATH": path]) { _, new in new }
    }

    /// Writes a file in its place, as a shell does.
    private static func write(_ text: String, to path: String, in world: World) async throws {
        let file = world.directory.appending(path: path).path()
        let script = "printf '%s' \"$1\" > \"$2\""
        let result = try await HandoffTestSupport.run("/bin/sh", ["-c", script, "sh", text, file])
        #expect(result.status == 0)
    }

    /// The nearest activity; nil when there is none in this moment, or it has just changed.
    private static func preview(on device: Device) async throws -> JSON? {
        let result = try await device.run("--json", "continue", "--print")
        return result.status == 0 ? try JSON(result.stdout) : nil
    }
}
