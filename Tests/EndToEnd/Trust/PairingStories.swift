import DBus
import Foundation
import HandoffBus
import HandoffRadioSimulated
import HandoffTestSupport
import TestLimits
import Testing

// Twice what three devices take: beside five other stories on a slow machine, devices do not find each other within the
// time-outs of a pairing.
@Suite("Two people at two devices pair them by six digits", .endsWithin(minutes: 15, instances: 12))
struct PairingStories {
    @Test("both run handoffctl pair, see the same digits and say yes; then one continues what the other does")
    func paired() async throws {
        try await World.runStrangers { _, laptop, desktop in
            try await laptop.pairing { one in
                try await desktop.pairing { other in
                    let (digits, same) = (try await one.digits(), try await other.digits())
                    #expect(digits == same && digits.count == 7)
                    #expect(try await one.screen.line(containing: "Does ").contains("desktop"))
                    #expect(try await other.screen.line(containing: "Does ").contains("laptop"))
                    one.type("yes")
                    try await one.screen.line(containing: "Waiting for the answer on desktop")
                    other.type("Y")
                    try await one.screen.line(containing: "Paired with desktop")
                    try await other.screen.line(containing: "Paired with laptop")
                    #expect(await one.process.exitStatus() == 0)
                    #expect(await other.process.exitStatus() == 0)
                }
            }
            #expect(try await laptop.trusts() == ["desktop trusted"])
            #expect(try await desktop.trusts() == ["laptop trusted"])
            // They have just met, and say so before either has advertised anything.
            for device in [laptop, desktop] {
                let seen = try await device.json("devices").array.map { $0["lastSeen"].number ?? 0 }
                #expect(seen.count == 1 && seen.allSatisfy { $0 > 0 })
            }
            for (origin, other) in [(laptop, desktop), (desktop, laptop)] {
                try await origin.publishing("org.example.edit", ["--title", "Draft"]) { _ in
                    try await other.watching { _ = try await $0.one() }
                    #expect(try await other.json("continue", "--print")["title"].string == "Draft")
                }
            }
        }
    }

    @Test("a no on one device ends it on both, with a sentence for each")
    func declined() async throws {
        try await World.runStrangers { _, laptop, desktop in
            try await laptop.pairing { one in
                try await desktop.pairing { other in
                    _ = (try await one.digits(), try await other.digits())
                    let shown = one.screen.lines.count
                    one.type("maybe")
                    try await one.screen.line(containing: "Type yes or no", from: shown)
                    other.type("yes")
                    one.type("no")
                    try await one.screen.line(containing: "You said that the digits differ")
                    try await other.screen.line(containing: "The user of laptop said that the digits differ")
                    #expect(await one.process.exitStatus() == 1)
                    #expect(await other.process.exitStatus() == 1)
                }
            }
            #expect(try await laptop.trusts().isEmpty)
            #expect(try await desktop.trusts().isEmpty)
        }
    }

    @Test("interrupting it on one device ends it on the other")
    func interrupted() async throws {
        try await World.runStrangers { _, laptop, desktop in
            try await laptop.pairing { one in
                try await desktop.pairing { other in
                    _ = (try await one.digits(), try await other.digits())
                    kill(one.process.processID, SIGINT)
                    #expect(await one.process.exitStatus() == 1)
                    try await other.screen.line(containing: "The pairing was stopped on laptop")
                    #expect(await other.process.exitStatus() == 1)
                }
            }
            #expect(try await laptop.trusts().isEmpty)
            #expect(try await desktop.trusts().isEmpty)
        }
    }

    @Test("a PairingAgent1 in Python pairs with a person at a terminal", arguments: ["yes", "no"])
    func python(_ answer: String) async throws {
        try await World.runStrangers { _, laptop, desktop in
            try await desktop.pairing { person in
                try await laptop.withAgent(answer) { agent in
                    let words = try await agent.line(containing: "digits ").split(separator: " ")
                    let shown = try await person.digits().replacing(" ", with: "")
                    #expect(shown == words[1])
                    #expect(words[3] == "desktop")
                    person.type("yes")
                    if answer == "yes" {
                        try await agent.line(containing: "paired /org/handoffd/Handoff1/Device/")
                        try await person.screen.line(containing: "Paired with laptop")
                    } else {
                        try await agent.line(containing: "failed org.handoffd.Error.UserCancelled")
                        try await person.screen.line(containing: "The user of laptop said")
                    }
                }
            }
            #expect(try await laptop.trusts() == (answer == "yes" ? ["desktop trusted"] : []))
            #expect(try await desktop.trusts() == (answer == "yes" ? ["laptop trusted"] : []))
        }
    }

    @Test("several devices in one room are offered by name, and the one that is not chosen shows no digits")
    func several() async throws {
        try await World.runStrangers { world, laptop, desktop in
            try await world.withDevice("tablet") { tablet in
                // They hear each other once all of them look.
                try world.setAir { $0.apart = [["laptop"], ["desktop"], ["tablet"]] }
                try await laptop.withAgent("yes", "desktop") { one in
                    try await desktop.withAgent("yes", "laptop") { other in
                        try await tablet.withAgent("yes", "nobody") { third in
                            for device in [laptop, desktop, tablet] {
                                try await device.log.event("pairing.began")
                            }
                            try world.setAir { _ in }
                            try await one.line(containing: "paired ")
                            try await other.line(containing: "paired ")
                            #expect(try await one.line(containing: "choice ") == "choice desktop tablet")
                            let digits = third.lines.filter { $0.hasPrefix("digits") }
                            #expect(digits.isEmpty)
                        }
                    }
                }
                #expect(try await tablet.trusts().isEmpty)
                #expect(try await laptop.trusts() == ["desktop trusted"])
            }
        }
    }

    @Test("a second request is refused while one is under way, and where there is no terminal")
    func refused() async throws {
        try await World.runStrangers { _, laptop, _ in
            #expect(try await laptop.run("pair").stderr.contains("terminal"))
            try await laptop.pairing { first in
                try await first.screen.line(containing: "Looking for it")
                try await laptop.pairing { second in
                    try await second.screen.line(containing: "is already pairing")
                    #expect(await second.process.exitStatus() == 1)
                }
            }
        }
    }

    @Test("after a pairing that came to nothing, what was on the air is there again, and its end is heard")
    func onTheAirAgain() async throws {
        try await World.runPair { _, laptop, desktop in
            try await desktop.watching { watcher in
                try await laptop.publishing("org.example.edit") { _ in
                    _ = try await watcher.one()
                    try await laptop.pairing { one in
                        try await one.screen.line(containing: "Looking for it")
                    }
                    _ = try await watcher.one()
                }
                try await watcher.none()
            }
        }
    }
}

extension World {
    /// Runs `story` with two devices that do not know each other.
    static func runStrangers(
        _ story: @escaping @Sendable (World, _ laptop: Device, _ desktop: Device) async throws -> Void
    ) async throws {
        try await run { world in
            try await world.withDevice("laptop") { laptop in
                try await world.withDevice("desktop") { desktop in try await story(world, laptop, desktop) }
            }
        }
    }
}

extension Device {
    /// Runs `body` while a person runs `handoffctl pair` at a terminal.
    func pairing(_ body: @escaping @Sendable (Terminal) async throws -> Void) async throws {
        let arguments = ["--bus", bus.address.description, "pair"]
        try await Terminal.run(Programs.handoffctl, arguments, environment: world.environment, body)
    }

    /// Runs `body` with what an agent in Python says that pairs this device.
    func withAgent(
        _ answer: String,
        _ wanted: String = "",
        _ body: @escaping @Sendable (Transcript) async throws -> Void
    ) async throws {
        let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
            .appending(path: "Stories/pairing_agent.py").path()
        let arguments = [script, bus.address.description, answer, wanted]
        try await withProgram("/usr/bin/python3", arguments) { process in
            let output = Transcript()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await output.collect(process.stdout) }
                group.addTask {
                    defer { process.kill() }
                    try await body(output)
                }
                try await group.waitForAll()
            }
        }
    }

    /// The devices that are trusted, each by name and state.
    func trusts() async throws -> [String] {
        try await json("devices").array.map { "\($0["name"].string) \($0["state"].string)" }
    }
}

extension Terminal {
    /// The digits on the screen, once they are there.
    func digits() async throws -> String {
        try await screen.first { line in
            let text = line.trimmingCharacters(in: .whitespacesAndNewlines)
            return text.wholeMatch(of: /[0-9]{3} [0-9]{3}/) == nil ? nil : text
        }
    }
}
