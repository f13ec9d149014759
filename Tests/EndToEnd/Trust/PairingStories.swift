import DBus
import Foundation
import HandoffBus
import HandoffRadioSimulated
import HandoffTestSupport
import TestLimits
import Testing

// Twice what three devices need: next to five other stories on a slow machine, devices do not discover each other
// within the time-outs of a pairing.
@Suite("Two users pair two devices by comparing six digits", .endsWithin(minutes: 15, instances: 12))
struct PairingStories {
    @Test(
        "Two devices show the same digits and are paired once both users confirm; each continues the other's activity"
    )
    func paired() async throws {
        try await World.runUnpaired { _, laptop, desktop in
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
            // Each device has been seen by the other although neither has advertised an activity.
            for device in [laptop, desktop] {
                let seen = try await device.json("devices").array.map { $0["lastSeen"].time }
                #expect(seen.count == 1 && seen.allSatisfy { $0 != nil })
            }
            for (origin, other) in [(laptop, desktop), (desktop, laptop)] {
                try await origin.publishing("org.example.edit", ["--title", "Draft"]) { _ in
                    try await other.watching { _ = try await $0.one() }
                    #expect(try await other.json("continue", "--print")["title"].string == "Draft")
                }
            }
        }
    }

    @Test("Answering no on one device ends the pairing on both, with a message for each user")
    func declined() async throws {
        try await World.runUnpaired { _, laptop, desktop in
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

    @Test("Interrupting handoffctl pair on one device ends the pairing on the other")
    func interrupted() async throws {
        try await World.runUnpaired { _, laptop, desktop in
            try await laptop.pairing { one in
                try await desktop.pairing { other in
                    _ = (try await one.digits(), try await other.digits())
                    kill(one.process.processID, SIGINT)
                    #expect(await one.process.exitStatus() == 130)
                    try await other.screen.line(containing: "The pairing was stopped on laptop")
                    #expect(await other.process.exitStatus() == 1)
                }
            }
            #expect(try await laptop.trusts().isEmpty)
            #expect(try await desktop.trusts().isEmpty)
        }
    }

    @Test("A PairingAgent1 in Python pairs with a user at a terminal", arguments: ["yes", "no"])
    func python(_ answer: String) async throws {
        try await World.runUnpaired { _, laptop, desktop in
            try await desktop.pairing { terminal in
                try await laptop.withAgent(answer) { agent in
                    let words = try await agent.line(containing: "digits ").split(separator: " ")
                    // The agent answers at once, and a no comes before the question at the terminal.
                    let shown = try await terminal.shownDigits().replacing(" ", with: "")
                    #expect(shown == words[1])
                    #expect(words[3] == "desktop")
                    if answer == "yes" {
                        _ = try await terminal.digits()
                        terminal.type("yes")
                        try await agent.line(containing: "paired /org/handoffd/Handoff1/Device/")
                        try await terminal.screen.line(containing: "Paired with laptop")
                    } else {
                        try await agent.line(containing: "failed org.handoffd.Error.UserCancelled")
                        try await terminal.screen.line(containing: "The user of laptop said")
                    }
                }
            }
            #expect(try await laptop.trusts() == (answer == "yes" ? ["desktop trusted"] : []))
            #expect(try await desktop.trusts() == (answer == "yes" ? ["laptop trusted"] : []))
        }
    }

    // By itself a device chooses 1.5 s after it has heard the first one.
    @Test(
        "Several devices in range are offered by name, and the one that is not chosen shows no digits",
        .endsWithin(minutes: 15, instances: 6, places: 24)
    )
    func several() async throws {
        try await World.runUnpaired { world, laptop, desktop in
            try await world.withDevice("tablet") { tablet in
                // The devices receive each other only once all of them have begun to pair.
                try world.setAir { $0.apart = [["laptop"], ["desktop"], ["tablet"]] }
                try await laptop.withAgent("yes", "desktop") { one in
                    try await desktop.withAgent("yes", "laptop") { other in
                        try await tablet.withAgent("yes", "none") { third in
                            for device in [laptop, desktop, tablet] {
                                try await device.log.event("pairing.began")
                            }
                            // All are heard before the first one has introduced itself.
                            try world.setAir { $0.delay = .milliseconds(500) }
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

    @Test("A second pairing is refused while one is running, and a pairing without a terminal is refused")
    func refused() async throws {
        try await World.runUnpaired { _, laptop, _ in
            #expect(try await laptop.run("pair").stderr.contains("terminal"))
            try await laptop.pairing { first in
                try await first.screen.line(containing: "Searching")
                try await laptop.pairing { second in
                    try await second.screen.line(containing: "is already pairing")
                    #expect(await second.process.exitStatus() == 1)
                }
            }
        }
    }

    @Test("After a failed pairing, the activity is advertised again, and its withdrawal is received")
    func onTheAirAgain() async throws {
        try await World.runPair { _, laptop, desktop in
            try await desktop.watching { watcher in
                try await laptop.publishing("org.example.edit") { _ in
                    _ = try await watcher.one()
                    try await laptop.pairing { one in
                        try await one.screen.line(containing: "Searching")
                    }
                    _ = try await watcher.one()
                }
                try await watcher.none()
            }
        }
    }
}

extension Device {
    /// Runs `body` while a user runs `handoffctl pair` at a terminal.
    func pairing(_ body: @escaping @Sendable (Terminal) async throws -> Void) async throws {
        let arguments = ["--bus", bus.address.description, "pair"]
        try await Terminal.run(Programs.handoffctl, arguments, environment: world.environment, body)
    }

    /// Runs `body` with the output of a Python agent that pairs this device.
    func withAgent(
        _ answer: String,
        _ wanted: String = "",
        _ body: @escaping @Sendable (Transcript) async throws -> Void
    ) async throws {
        let script = Repository.file("Tests/Stories/pairing_agent.py").path()
        let arguments = [script, bus.address.description, answer, wanted]
        try await withTranscript(of: "/usr/bin/python3", arguments) { _, output in try await body(output) }
    }

    /// The name and state of each trusted device.
    func trusts() async throws -> [String] {
        try await json("devices").array.map { "\($0["name"].string) \($0["state"].string)" }
    }
}

extension Terminal {
    /// The digits on the screen, once they can be confirmed.
    func digits() async throws -> String {
        let digits = try await shownDigits()
        try await screen.line(containing: "show the same digits? Type yes or no:")
        return digits
    }

    /// The digits on the screen, once they are shown.
    func shownDigits() async throws -> String {
        try await screen.first { line in
            let text = line.trimmingCharacters(in: .whitespacesAndNewlines)
            return text.wholeMatch(of: /[0-9]{3} [0-9]{3}/) == nil ? nil : text
        }
    }
}
