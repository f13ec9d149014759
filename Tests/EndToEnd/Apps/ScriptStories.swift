import DBus
import Foundation
import HandoffModel
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
            try await Self.installWatching(in: world)
            try await Self.running(script, on: laptop) { process, messages in
                try await messages.line(containing: Self.watches)
                try await Self.write(#"{"name": "Shopping", "id": 42}"#, to: "current", in: world)
                try await laptop.untilPublished(["version": .int64(1), "note": .int64(42)])
                try await desktop.fetchNearest { $0.title == "Shopping" && $0.userInfo["note"] == .integer(42) }
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
            try await Self.running(script, on: laptop) { process, _ in
                try await Self.running("exec 3> cursor; echo 7 >&3; read -r word < end", on: laptop) { _, _ in
                    try await desktop.fetchNearest { $0.userInfo["line"] == .integer(7) }
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
            try await Self.installWatching(in: world)
            try world.writeApp("waiting", "X-Handoff-Exec=waiting\nX-Handoff-Waits=true")
            try world.write("", to: "docs/other.txt")
        }
        try await World.runApps(prepare) { world, laptop, desktop in
            try await laptop.publishing("org.example.edit") { _ in
                _ = try await desktop.watchingOnce()
                async let result = desktop.json("continue")
                let edited = world.directory.appending(path: "edited")
                // The output of the program is in the log of the daemon.
                try await desktop.log.line(containing: Self.watches)
                try await Self.write("text", to: "docs/report.txt", in: world)
                try await untilFiles(in: [world.directory], "the document in the editor") {
                    (try? String(contentsOf: edited, encoding: .utf8))?.hasSuffix("/docs/report.txt\n") ?? false
                }
                #expect(try await result["application"].string == "waiting")
            }
        }
    }

    /// What `inotifywait` says when it watches.
    private static let watches = "Watches established"

    /// Has scripts run an `inotifywait` that says when it watches, whatever its options say, and else nothing.
    private static func installWatching(in world: World) async throws {
        let program = #"""
            #!/bin/sh
            for word; do
                shift
                case $word in -qq | --quiet) ;; *) set -- "$@" "$word" ;; esac
            done
            exec /usr/bin/inotifywait "$@" > /dev/null

            """#
        try await world.writeProgram(program, to: "bin/inotifywait")
    }

    /// Runs a script in the directory of its world, with the programs of the world and handoffctl.
    private static func run(
        _ script: String,
        on device: Device,
        shell: String = "/bin/sh"
    ) async throws -> ProgramResult {
        try await HandoffTestSupport.run(shell, ["-c", inPlace(script, device)], environment: environment(device))
    }

    /// Runs `body` while a script runs, with what it prints to standard error.
    private static func running(
        _ script: String,
        on device: Device,
        _ body: @escaping @Sendable (ChildProcess, Transcript) async throws -> Void
    ) async throws {
        let arguments = ["-c", inPlace(script, device)]
        let environment = environment(device)
        try await withTranscript(of: "/bin/sh", arguments, environment: environment, reading: { $0.stderr }, body)
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
}
