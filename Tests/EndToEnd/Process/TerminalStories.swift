import DBus
import Foundation
import HandoffRadioSimulated
import HandoffTestSupport
import TestLimits
import Testing

@Suite("What a person sees at a terminal", .endsWithin(minutes: 15, instances: 4))
struct TerminalStories {
    @Test("A continuation that takes long says what it waits for")
    func waiting() async throws {
        try await World.runPair { world, laptop, desktop in
            try await laptop.publishing("org.example.edit") { _ in
                try await desktop.watching { _ = try await $0.one() }
                try world.setAir { $0.delay = .milliseconds(700) }
                let arguments = ["--bus", desktop.bus.address.description, "continue", "--print"]
                try await Terminal.run(Programs.handoffctl, arguments, environment: world.environment) { terminal in
                    _ = try await terminal.screen.line(containing: "fetching it from laptop …")
                }
            }
        }
    }

    @Test("continue --wait takes an activity that appears later, and gives up after its time")
    func laterActivity() async throws {
        try await World.runPair { world, laptop, desktop in
            let late = try await desktop.run("continue", "--print", "--wait", "1")
            #expect(late.status == 4)
            #expect(late.stderr.contains("within 1 s"), "\(late.stderr)")
            let both = try await desktop.run("continue", "1", "--wait")
            #expect(both.status == 64)
            let arguments = ["--bus", desktop.bus.address.description, "continue", "--print", "--wait"]
            try await Terminal.run(Programs.handoffctl, arguments, environment: world.environment) { terminal in
                try await terminal.screen.line(containing: "waiting for an activity")
                try await laptop.publishing("org.example.edit", ["--title", "Draft"]) { _ in
                    try await terminal.screen.line(containing: "Draft")
                    #expect(await terminal.process.exitStatus() == 0)
                }
            }
        }
    }

    @Test("nearby --watch writes the list of a terminal in its place again, and below the last one anywhere else")
    func redrawnList() async throws {
        try await World.runPair { world, laptop, desktop in
            let arguments = ["--bus", desktop.bus.address.description, "nearby", "--watch"]
            let environment = world.environment.merging(["TERM": "xterm"]) { _, new in new }
            try await Terminal.run(Programs.handoffctl, arguments, environment: environment) { terminal in
                try await terminal.screen.line(containing: "nothing nearby")
                try await laptop.publishing("org.example.edit") { _ in
                    try await terminal.screen.line(containing: "`handoffctl continue 1 --print` shows it.")
                }
                try await laptop.publishing("org.example.draw") { _ in
                    try await terminal.screen.line(containing: "`handoffctl continue 2 --print` shows it.")
                    let rows = Self.rows(of: terminal.screen.lines)
                    #expect(rows.count { $0.contains("OPENS WITH") } == 1, "\(rows)")
                    #expect(rows.count { $0.contains("laptop") } == 1, "\(rows)")
                    #expect(!rows.contains { $0.contains("nothing nearby") }, "\(rows)")
                }
            }
            let piped = ["--bus", desktop.bus.address.description, "nearby", "--watch"]
            try await withTranscript(of: Programs.handoffctl, piped, environment: environment) { _, output in
                try await output.line(containing: "nothing nearby")
                try await laptop.publishing("org.example.edit") { _ in
                    try await output.line(containing: "laptop")
                    #expect(!output.lines.joined().contains("\u{1B}"))
                }
            }
        }
    }

    /// The rows of a terminal that was written those lines, of which each may begin with a number of rows to move up
    /// and to erase.
    private static func rows(of lines: [String]) -> [String] {
        lines.map { $0.filter { $0 != "\r" } }.reduce(into: []) { rows, line in
            guard let match = line.wholeMatch(of: /\u{1B}\[(\d+)A\u{1B}\[J(.*)/), let count = Int(match.1) else {
                return rows.append(line)
            }
            rows.removeLast(min(count, rows.count))
            rows.append(String(match.2))
        }
    }

    @Test("Output that cannot be written is an error")
    func writeErrors() async throws {
        try await World.run { world in
            try await world.withDevice("laptop") { laptop in
                let control = "'\(Programs.handoffctl)' --bus '\(laptop.bus.address)'"
                for command in ["status", "--json devices", "nearby --watch"] {
                    let full = try await run("/bin/sh", ["-c", "exec \(control) \(command) > /dev/full"])
                    #expect(full.status == 1, "\(command)")
                    #expect(full.stderr.contains("Standard output cannot be written: No space left on device."))
                }
            }
        }
    }

    @Test("A daemon that the bus cannot start is told apart from one that does not run")
    func failedActivation() async throws {
        try await World.run { world in
            try world.write(
                "[D-BUS Service]\nName=org.handoffd.Control1\nExec=/nowhere/handoffd\n",
                to: "services/org.handoffd.Control1.service"
            )
            try await withPrivateBus(services: world.directory.appending(path: "services")) { bus in
                let arguments = ["--bus", bus.address.description, "status"]
                let result = try await run(Programs.handoffctl, arguments, environment: world.environment)
                #expect(result.status == 3)
                #expect(
                    result.stderr.contains("The bus could not start handoffd: Failed to execute program"),
                    "\(result.stderr)"
                )
                #expect(result.stderr.contains("journalctl --user -u handoffd"))
            }
        }
    }
}
