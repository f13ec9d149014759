import DBus
import Foundation
import HandoffBus
import HandoffModel
import HandoffRadioSimulated
import HandoffTestSupport
import TestLimits
import Testing

@Suite("The commands of handoffctl", .endsWithin(minutes: 15, instances: 4))
struct CommandLineStories {
    @Test("Global options are accepted before and after the command")
    func globalOptions() async throws {
        try await World.run { world in
            try await world.withDevice("laptop") { laptop in
                let bus = laptop.bus.address.description
                for arguments in [
                    ["--bus", bus, "--json", "nearby"], ["nearby", "--json", "--bus", bus],
                    ["--json", "nearby", "--bus", bus], ["--bus=\(bus)", "devices", "--json", "list"],
                    ["devices", "list", "--json", "--bus", bus],
                    ["--bus", "unix:path=/nowhere", "nearby", "--json", "--bus", bus],
                ] {
                    let result = try await HandoffTestSupport.run(
                        Programs.handoffctl,
                        arguments,
                        environment: world.environment
                    )
                    #expect(result.status == 0, "\(arguments): \(result.stderr)")
                    #expect(try JSON(result.stdout).array.isEmpty)
                }
            }
        }
    }

    @Test("The status command prints the state as text and as JSON")
    func status() async throws {
        try await World.runPair { _, laptop, _ in
            try await laptop.publishing("org.example.edit") { _ in
                let status = try await laptop.json("status")
                #expect(status["deviceName"].string == "laptop")
                #expect(status["deviceID"].string.count == 16)
                #expect(status["radioState"].string == "ready")
                #expect(status["trustedDevices"].number == 1)
                #expect(status["currentActivityType"].string == "org.example.edit")
                #expect(status["currentActivity"].string.hasPrefix("/org/handoffd/Handoff1/Activity/"))
                let text = try await laptop.run("status").stdout
                for word in ["laptop", "ready", "org.example.edit"] { #expect(text.contains(word)) }
            }
        }
    }

    @Test("A device that trusts no other prints what to do")
    func lonely() async throws {
        try await World.run { world in
            try await world.withDevice("laptop") { (laptop) async throws in
                #expect(try await laptop.run("status").stdout.contains("No device is trusted yet"))
                let reason =
                    "No device is trusted yet, so nothing is scanned: run `handoffctl pair` here and on another one."
                #expect(try await laptop.run("nearby").stdout == "nothing nearby: \(reason)\n")
                #expect(try await laptop.run("devices").stdout.contains("no device is trusted yet"))
                #expect(try await laptop.run("devices", "card").stdout.hasPrefix("handoff2:"))
            }
        }
    }

    @Test("The nearby command prints a table")
    func table() async throws {
        try await World.runPair { _, laptop, desktop in
            try await laptop.publishing("org.example.edit", ["--webpage", "https://example.org"]) { _ in
                try await desktop.watching { _ = try await $0.one() }
                let lines = try await desktop.run("nearby").stdout.split(separator: "\n").map(String.init)
                #expect(lines.count == 2)
                #expect(lines.first?.hasPrefix("ID") == true)
                for word in ["laptop", "browser", "dBm"] { #expect(lines.last?.contains(word) == true) }
                let text = try await desktop.run("continue", "--print").stdout
                for word in ["from", "laptop", "org.example.edit", "https://example.org"] {
                    #expect(text.contains(word))
                }
            }
        }
    }

    @Test("The option --type continues the nearest activity of that type")
    func byType() async throws {
        try await World.runPair { _, laptop, desktop in
            try await laptop.publishing("org.example.edit") { _ in
                try await desktop.watching { watcher in
                    _ = try await watcher.one()
                    #expect(try await desktop.run("continue", "--print", "--type", "org.example.draw").status == 4)
                    let activity = try await desktop.json("continue", "--print", "--type", "org.example.edit")
                    #expect(activity["type"].string == "org.example.edit")
                }
            }
        }
    }

    @Test("The monitor prints every property of an activity, and its changes, until it is interrupted")
    func monitor() async throws {
        try await World.run { world in
            try await world.withDevice("laptop") { laptop in
                try await laptop.withMonitor { process, output in
                    let begin = output.lines.count
                    try await laptop.connected { program in
                        let path = try await program.create("org.example.edit", ["Title": .string("T")])
                        try await program.setUserInfo(["line": .int64(12)], of: path)
                        try await program.becomeCurrent(path)
                    }
                    let changed = try await output.first(from: begin) { line in
                        let event = try JSON(line)
                        return event["properties"]["UserInfo"]["line"].number == 12 ? event : nil
                    }
                    #expect(changed["event"].string == "changed")
                    #expect(changed["interface"].string == "org.handoffd.Activity1")
                    #expect(changed["object"].string.hasPrefix("/org/handoffd/Handoff1/Activity/"))
                    // The program has disconnected, which removes its activity.
                    let object = changed["object"].string
                    try await output.first("the removal of \(object)", from: begin) { line -> Void? in
                        let event = try JSON(line)
                        return event["event"].string == "removed" && event["object"].string == object ? () : nil
                    }
                    kill(process.processID, SIGINT)
                    #expect(await process.exitStatus() == 0)
                }
            }
        }
    }

    @Test("--help and --version work without a daemon")
    func help() async throws {
        for program in [Programs.handoffctl, Programs.handoffd] {
            let version = try await HandoffTestSupport.run(program, ["--version"])
            #expect(version.status == 0)
            #expect(version.stdout.contains("."))
            let help = try await HandoffTestSupport.run(program, ["--help"])
            #expect(help.status == 0)
            #expect(help.stdout.contains("USAGE"))
        }
        let help = try await HandoffTestSupport.run(Programs.handoffctl, ["--help"]).stdout
        #expect(help.contains("EXIT STATUS"))
        #expect(help.contains("handoffctl pair "), "the first example shows how to begin")
    }

    @Test("No log contains a title, a web page or userInfo, at any log level")
    func silence() async throws {
        let secrets = ["SecretTitle", "secret.example.org", "SecretKey", "SecretValue"]
        try await World.runPair(["--log-level", "trace"]) { _, laptop, desktop in
            try await desktop.watching { watcher in
                let options = [
                    "--title", "SecretTitle", "--webpage", "https://secret.example.org/",
                    "--user-info", #"{"SecretKey": "SecretValue"}"#,
                ]
                try await laptop.publishing("org.example.edit", options) { _ in
                    _ = try await watcher.one()
                    #expect(try await desktop.json("continue", "--print")["title"].string == "SecretTitle")
                    try await laptop.log.event("activity.previewed")
                    _ = try await desktop.json("continue", "--print", "--take")
                    try await laptop.log.event("take.reported")
                }
                let card = try await laptop.json("devices", "card")["card"].string
                for line in laptop.log.lines + desktop.log.lines {
                    for secret in secrets + [card] { #expect(!line.contains(secret)) }
                }
            }
        }
    }
}
