import DBus
import Foundation
import HandoffBus
import HandoffModel
import HandoffTestSupport
import TestLimits
import Testing

@Suite("A person decides what takes part", .endsWithin(minutes: 15, instances: 4))
struct RuleStories {
    @Test("A pause withdraws the activity, refuses to continue, outlasts a restart, and ends with resume")
    func pause() async throws {
        try await World.run { world in
            try await world.withDevice("desktop") { desktop in
                try await withPrivateBus { bus in
                    try await world.withDaemon("laptop", on: bus) { laptop in
                        try await laptop.trustEachOther(desktop)
                        try await Self.pauseAndLook(laptop, desktop)
                    }
                    try await world.withDaemon("laptop", on: bus) { laptop in
                        #expect(try await laptop.json("status")["paused"].boolean == true)
                        try await laptop.publishing("org.example.edit") { _ in
                            try await desktop.watching { watcher in
                                #expect(try await laptop.run("resume").stdout == "Handoff is on.\n")
                                _ = try await watcher.one()
                            }
                        }
                    }
                }
            }
        }
    }

    private static func pauseAndLook(_ laptop: Device, _ desktop: Device) async throws {
        try await laptop.publishing("org.example.edit") { _ in
            try await desktop.publishing("org.example.draw") { _ in
                try await laptop.watching { own in
                    _ = try await own.one()
                    try await desktop.watching { watcher in
                        _ = try await watcher.one()
                        let paused = try await laptop.json("pause", "for", "1h30m")
                        #expect(paused["paused"].boolean == true)
                        let end = try #require(paused["pausedUntil"].time)
                        #expect(abs(end.seconds - Int64(Date.now.timeIntervalSince1970) - 5400) < 60)
                        try await watcher.none()
                        try await own.none()
                    }
                }
                for arguments in [["continue"], ["continue", "1"], ["continue", "--print", "--wait"], ["stream"]] {
                    let refusal = try await laptop.run(arguments)
                    #expect(refusal.status == 1, "\(arguments): \(refusal)")
                    #expect(refusal.stderr.contains("paused until"))
                    #expect(refusal.stderr.contains("handoffctl resume"))
                }
                #expect(try await laptop.run("nearby").stdout.hasPrefix("nothing nearby: Handoff is paused until "))
                let status = try await laptop.run("status").stdout
                #expect(status.contains("org.example.edit (not offered now)"))
                #expect(status.contains("Handoff is paused until"))
                #expect(try await laptop.run("status", "--check").status == 0, "what is switched off is no problem")
            }
        }
    }

    @Test("Whoever pairs during a pause is paired, and stays paused")
    func pairing() async throws {
        try await World.runUnpaired { _, laptop, desktop in
            _ = try await laptop.json("pause")
            try await laptop.pairing { one in
                try await desktop.pairing { other in
                    let (digits, same) = (try await one.digits(), try await other.digits())
                    #expect(digits == same)
                    one.type("yes")
                    other.type("yes")
                    #expect(await one.process.exitStatus() == 0)
                    #expect(await other.process.exitStatus() == 0)
                }
            }
            #expect(try await laptop.trusts() == ["desktop trusted"])
            #expect(try await desktop.trusts() == ["laptop trusted"])
            #expect(try await laptop.json("status")["paused"].boolean == true)
        }
    }

    @Test("A rule that comes after the publication withdraws the activity; publish and status name the rule")
    func denied() async throws {
        try await World.runPair { _, laptop, desktop in
            try await laptop.withControl(["publish", "--type", "org.example.bank"]) { _, output in
                try await output.line(containing: #""event":"offered""#)
                try await desktop.watching { watcher in
                    let id = try await watcher.one()["id"]
                    _ = try await laptop.json("rules", "deny", "type", "org.example.bank")
                    try await output.line(containing: #""reason":"denied""#)
                    try await watcher.none()
                    #expect(try await desktop.run("continue", "\(Int(try #require(id.number)))").status == 4)
                    let withheld = try #require(try await laptop.json("status")["withheld"].array.first)
                    #expect(withheld["type"].string == "org.example.bank")
                    #expect(withheld["value"].string == "org.example.bank")
                    let text = try await laptop.run("status").stdout
                    #expect(text.contains("`deny type org.example.bank`"))
                    _ = try await laptop.json("rules", "remove", "type", "org.example.bank")
                    try await output.line(containing: #""event":"permitted""#)
                    _ = try await watcher.one()
                }
            }
        }
    }

    @Test("A device that a rule denies is told so, and offers nothing of the other one; both show the rule")
    func fetched() async throws {
        try await World.runPair { _, laptop, desktop in
            try await laptop.withControl(["publish", "--type", "org.example.edit"]) { _, output in
                try await output.line(containing: #""event":"offered""#)
                let entry = try await desktop.watchingOnce()
                try await desktop.connected { client in
                    try await client.startLooking()
                    let name = try await desktop.id
                    _ = try await laptop.json("rules", "deny", "device", "desktop")
                    #expect(try await laptop.json("rules")["rules"].array.map { $0["value"].string } == [name])
                    let told = try #require(try await laptop.json("status")["withheld"].array.first)
                    #expect(told["deviceName"].string == "desktop")
                    #expect(told["value"].string == name)
                    let refusal = await Result { try await client.fetch(entry) }
                    #expect(refusal.errorName == "Denied")
                    #expect(refusal.errorMessage.contains("A rule on laptop gives this device nothing"))
                    try await client.first { try await client.objects().nearby.isEmpty ? () : nil }
                    let withheld = try #require(try await desktop.json("status")["withheld"].array.first)
                    #expect(withheld["reason"].string == "denied-there")
                    #expect(try await desktop.run("continue", "--nearest", "--print").status == 4)
                }
            }
        }
    }

    @Test("An open stream breaks off at both ends when a rule denies its activity")
    func stream() async throws {
        try await World.runPair { world, laptop, desktop in
            let silence = try world.silentInput()
            try await laptop.offeringPipe(to: desktop, silence) { publisher, _ in
                try await desktop.withShell("stream", silence) { reader, _ in
                    try await laptop.log.event("stream.opened")
                    _ = try await laptop.json("rules", "deny", "type", Device.pipeType)
                    #expect(await reader.exitStatus() == 1)
                    #expect(await publisher.exitStatus() == 1)
                }
            }
        }
    }

    @Test("No stream is opened to an activity that is denied after it was continued, nor from a denied device")
    func streamRefused() async throws {
        try await StreamFixture.run { fixture in
            let (laptop, receiver) = (fixture.origin, fixture.receiver)
            let rule = RuleDescription(verdict: "deny", kind: "type", value: "org.example.talk")
            try await fixture.publisher.setRule(rule)
            let ended = await Result { try await receiver.openStream(fixture.continuation) }
            #expect(ended.errorName == "ContinuationEnded")
            try await fixture.publisher.removeRule(kind: rule.kind, value: rule.value)
            let device = RuleDescription(verdict: "deny", kind: "device", value: try await laptop.id)
            try await receiver.setRule(device)
            let denied = await Result { try await receiver.openStream(fixture.continuation) }
            #expect(denied.errorName == "Denied")
            try await receiver.removeRule(kind: device.kind, value: device.value)
            try await receiver.pause(until: 0)
            let paused = await Result { try await receiver.openStream(fixture.continuation) }
            #expect(paused.errorName == "Paused")
            try await receiver.resume()
            _ = try await receiver.openStream(fixture.continuation)
        }
    }

    @Test("A device that only receives continues activities and offers none")
    func receiveOnly() async throws {
        try await World.runPair { _, laptop, desktop in
            _ = try await laptop.json("rules", "receive-only", "on")
            try await laptop.publishing("org.example.edit") { _ in
                try await desktop.publishing("org.example.draw") { _ in
                    try await laptop.watching { _ = try await $0.one() }
                    #expect(try await laptop.run("continue", "--print").stdout.contains("org.example.draw"))
                    #expect(try await laptop.json("status")["withheld"].array.first?["reason"].string == "receive-only")
                    try await desktop.watching { watcher in
                        _ = try await laptop.json("rules", "receive-only", "off")
                        let row = try await watcher.one()
                        #expect(row["deviceName"].string == "laptop")
                    }
                }
            }
        }
    }

    @Test("Activities of a denied type and of a denied device are not shown, and status tells what is hidden")
    func hidden() async throws {
        try await World.runPair { _, laptop, desktop in
            try await laptop.publishing("org.example.edit") { _ in
                try await desktop.watching { watcher in
                    _ = try await watcher.one()
                    for rule in [["type", "org.example.edit"], ["device", "laptop"]] {
                        _ = try await desktop.json("rules", "deny", rule[0], rule[1])
                        try await watcher.none()
                        let withheld = try #require(try await desktop.json("status")["withheld"].array.first)
                        #expect(withheld["deviceName"].string == "laptop")
                        #expect(withheld["kind"].string == rule[0])
                        _ = try await desktop.json("rules", "remove", rule[0], rule[1])
                        _ = try await watcher.one()
                    }
                }
            }
        }
    }

    @Test("A page of a denied site is offered by no device, and opened by none that denies it")
    func sites() async throws {
        try await World.runPair { _, laptop, desktop in
            let page = ["--webpage", "https://www.bank.example/account"]
            try await laptop.publishing("org.example.web", page) { _ in
                try await desktop.watching { watcher in
                    _ = try await watcher.one()
                    _ = try await desktop.json("rules", "deny", "site", "https://bank.example/login")
                    let refusal = try await desktop.run("continue", "--print")
                    #expect(refusal.status == 1)
                    #expect(refusal.stderr.contains("`deny site bank.example`"))
                    _ = try await laptop.json("rules", "deny", "site", "bank.example")
                    try await watcher.none()
                }
            }
        }
    }

    @Test("Every change is told on the bus, with the new values")
    func signals() async throws {
        try await World.run { world in
            try await world.withDevice("laptop") { laptop in
                try await laptop.connected { client in
                    try await client.withSignals { signals in
                        let rule = RuleDescription(verdict: "allow", kind: "site", value: "example.org")
                        try await client.pause(until: 0)
                        try await client.setReceiveOnly(true)
                        try await client.setRule(rule)
                        try await client.resume()
                        var told: [RulesStatus] = []
                        for try await signal in signals where signal.member == "PropertiesChanged" {
                            guard signal.arguments[0].string == HandoffName.rulesInterface.description else { continue }
                            told.append(RulesStatus(signal.arguments[1].stringDictionary ?? [:]))
                            if told.count == 4 { break }
                        }
                        #expect(told.map(\.isPaused) == [true, true, true, false])
                        #expect(told.map(\.isReceiveOnly) == [false, true, true, true])
                        #expect(told.map(\.rules) == [[], [], [rule], [rule]])
                    }
                }
            }
        }
    }

    @Test("The command line refuses what is no rule, and says what is missing")
    func mistakes() async throws {
        try await World.run { world in
            try await world.withDevice("laptop") { laptop in
                for (arguments, status) in [
                    (["rules", "deny", "type", "edit"], 64), (["rules", "deny", "site", "a b"], 64),
                    (["rules", "deny", "planet", "mars"], 64), (["rules", "deny", "device", "phone"], 4),
                    (["rules", "remove", "app", "org.example.Editor"], 4), (["rules", "receive-only", "maybe"], 64),
                    (["pause", "for"], 64), (["pause", "for", "ever"], 64), (["pause", "1h"], 64),
                    (["pause", "for", "0s"], 64), (["status", "--quiet"], 64),
                ] as [([String], Int32)] {
                    let result = try await laptop.run(arguments)
                    #expect(result.status == status, "\(arguments): \(result)")
                    #expect(!result.stderr.isEmpty)
                }
                #expect(try await laptop.run("rules").stdout == "no rules; everything takes part\n")
            }
        }
    }
}
