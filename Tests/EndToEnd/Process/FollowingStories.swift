import DBus
import Foundation
import HandoffBus
import HandoffModel
import HandoffTestSupport
import TestLimits
import Testing

@Suite("Commands that keep running tell what happens meanwhile", .endsWithin(minutes: 15, instances: 4))
struct FollowingStories {
    @Test("publish tells which device continued the activity, and where it failed")
    func continued() async throws {
        try await World.runPair { _, laptop, desktop in
            try await laptop.withControl(["publish", "--type", "org.example.edit"]) { _, output in
                try await output.line(containing: #""event":"offered""#)
                try await desktop.watching { _ = try await $0.one() }
                _ = try await desktop.json("continue", "--print", "--take")
                let continued = try JSON(try await output.line(containing: #""event":"continued""#))
                #expect(continued["deviceName"].string == "desktop")
                #expect(continued["device"].string == (try await desktop.id))
                #expect(continued["kind"].string == "app")
                #expect(try await desktop.run("continue").status == 1, "no app continues it")
                let failed = try JSON(try await output.line(containing: #""event":"continuationFailed""#))
                #expect(failed["deviceName"].string == "desktop")
                #expect(failed["error"].string == "org.handoffd.Error.NotContinuable")
                #expect(failed["message"].string.contains("desktop"))
            }
        }
    }

    @Test("A device that has fetched something was seen just now, although it advertises nothing")
    func lastSeen() async throws {
        try await World.runPair { _, laptop, desktop in
            try await laptop.publishing("org.example.edit") { _ in
                try await desktop.watching { _ = try await $0.one() }
                let before = Int64(Date().timeIntervalSince1970)
                _ = try await desktop.json("continue", "--print")
                let seen = try #require(try await laptop.json("devices").array.first?["lastSeen"].time)
                #expect(seen.seconds >= before)
                #expect(try await laptop.run("devices").stdout.contains("just now"))
            }
        }
    }

    @Test("publish offers the activity again when the daemon is back, until it is interrupted")
    func restarted() async throws {
        try await Self.restarting(["publish", "--type", "org.example.edit"]) { process, output, restart in
            let first = try JSON(try await output.line(containing: #""event":"offered""#))
            let start = output.lines.count
            try await restart { laptop in
                try await output.line(containing: #""event":"daemonStopped""#)
                let second = try JSON(try await output.line(containing: #""event":"offered""#, from: start))
                #expect(!first["activity"].string.isEmpty)
                let current = try await laptop.json("status")["currentActivity"].string
                #expect(current == second["activity"].string)
                kill(process.processID, SIGINT)
                #expect(await process.exitStatus() == 0)
            }
        }
    }

    @Test("publish tells when its document is lost, and when it is back")
    func document() async throws {
        try await World.run { world in
            try world.write("x", to: "docs/a.txt")
            let (docs, file) = (world.directory.appending(path: "docs"), world.directory.appending(path: "docs/a.txt"))
            try await world.withDevice("laptop") { laptop in
                _ = try await laptop.json("folders", "add", "docs", docs.path())
                let publish = ["publish", "--type", "org.example.edit", "--document", file.path()]
                try await laptop.withControl(publish) { _, output in
                    try await output.line(containing: #""event":"offered""#)
                    let elsewhere = world.directory.appending(path: "elsewhere.txt")
                    try FileManager.default.moveItem(at: file, to: elsewhere)
                    let lost = try JSON(try await output.line(containing: #""event":"documentLost""#))
                    #expect(lost["documentProblem"].string.contains("a.txt"))
                    try FileManager.default.moveItem(at: elsewhere, to: file)
                    try await output.line(containing: #""event":"documentFound""#)
                }
                let several = try await laptop.run("folders", "check", "/nowhere/b", file.path(), "/etc/hostname")
                #expect(several.status != 0)
                #expect(several.stdout == "handoff-folder:docs/a.txt\n")
                for name in ["/nowhere/b", "/etc/hostname"] { #expect(several.stderr.contains(name)) }
            }
        }
    }

    @Test("publish with a stream tells on standard error when its document is lost, and when it is back")
    func documentOfStream() async throws {
        try await World.run { world in
            try world.write("x", to: "docs/a.txt")
            let (docs, file) = (world.directory.appending(path: "docs"), world.directory.appending(path: "docs/a.txt"))
            try await world.withDevice("laptop") { laptop in
                _ = try await laptop.json("folders", "add", "docs", docs.path())
                let publish = ["publish", "--stream", "--type", "org.example.edit", "--document", file.path()]
                let arguments = ["--bus", laptop.bus.address.description] + publish
                let environment = world.environment
                let elsewhere = world.directory.appending(path: "elsewhere.txt")
                try FileManager.default.moveItem(at: file, to: elsewhere)
                try await withTranscript(
                    of: Programs.handoffctl,
                    arguments,
                    environment: environment,
                    reading: { $0.stderr }
                ) { _, output in
                    try await output.line(containing: "not offered yet: ")
                    try FileManager.default.moveItem(at: elsewhere, to: file)
                    try await output.line(containing: "offered again")
                    try FileManager.default.moveItem(at: file, to: elsewhere)
                    try await output.line(containing: "not offered any more: ")
                }
            }
        }
    }

    @Test("nearby --watch tells when the daemon stops and starts, and the list of before does not stay")
    func watching() async throws {
        try await Self.restarting(["nearby", "--watch"]) { _, output, restart in
            _ = try await output.first { $0 }
            try await restart { _ in
                let lines = try await output.first { $0.contains("daemonStarted") ? output.lines : nil }
                #expect(lines.prefix(4) == ["[]", #"{"event":"daemonStopped"}"#, "[]", #"{"event":"daemonStarted"}"#])
            }
        }
    }

    @Test("monitor tells when the daemon stops and starts")
    func monitoring() async throws {
        try await Self.restarting(["monitor"]) { _, output, restart in
            try await restart { _ in
                try await output.line(containing: #""event":"daemonStopped""#)
                try await output.line(containing: #""event":"daemonStarted""#)
            }
        }
    }

    @Test("monitor shows what this device does with the activity of another one, and pairings")
    func continuingSide() async throws {
        try await World.runPair { _, laptop, desktop in
            try await laptop.publishing("org.example.edit") { _ in
                try await desktop.watching { _ = try await $0.one() }
                try await desktop.monitoring { monitor in
                    _ = try await desktop.run("continue")
                    try await monitor.line { $0["event"].string == "continuationStarted" }
                    try await monitor.line { $0["event"].string == "continuationStep" }
                    try await monitor.line { $0["Error"].string == "org.handoffd.Error.NotContinuable" }
                    _ = try await desktop.json("continue", "--print", "--take")
                    try await monitor.line { $0["Outcome"].string == "app" }
                    try await desktop.connected { client in try await client.pair(agent: "/org/example/agent") }
                    try await monitor.line {
                        $0["event"].string == "started" && $0["interface"].string == "org.handoffd.Pairing1"
                    }
                    try await monitor.line { $0["event"].string == "ended" }
                    #expect(monitor.all.allSatisfy { $0["time"].time != nil })
                }
            }
        }
    }

    /// Runs `body` with a command at a daemon, and with a function that restarts the daemon and then runs its argument.
    private static func restarting(
        _ command: [String],
        _ body:
            @escaping @Sendable (
                ChildProcess, Transcript, (@escaping @Sendable (Device) async throws -> Void) async throws -> Void
            ) async throws -> Void
    ) async throws {
        try await World.run { world in
            try await withPrivateBus { bus in
                try await world.withDaemon("laptop", on: bus) { laptop in
                    let following: @Sendable (ChildProcess, Transcript) async throws -> Void = { process, output in
                        // It prints its first line after it has begun to follow the daemon.
                        _ = try await output.first("the first line of handoffctl") { $0 }
                        try await body(process, output) { again in
                            laptop.signal(SIGTERM)
                            _ = await laptop.process.exitStatus()
                            try await world.withDaemon("laptop", on: bus) { try await again($0) }
                        }
                    }
                    if command == ["monitor"] {
                        try await laptop.withMonitor(following)
                    } else {
                        try await laptop.withControl(command, body: following)
                    }
                }
            }
        }
    }
}
