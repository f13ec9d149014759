import HandoffBus
import HandoffCore
import HandoffModel
import TestLimits
import Testing

@testable import HandoffDaemon

@Suite("Rules are kept over restarts", .endsWithin(minutes: 10))
struct RulesFileTests {
    @Test("Everything that a person sets is there again after a restart, a pause with its end by the wall clock")
    func kept() async throws {
        try await EngineWorld.run { world in
            let rules = try RulesObject(engine: world.engine, in: world.directory)
            let end = UInt64(Moment.now.unixMicroseconds) + 3_600_000_000
            try await rules.pause(until: end)
            try await rules.setReceiveOnly(true)
            let all = [
                ("deny", "app", "org.example.Editor"), ("allow", "device", "0000000000000001"),
                ("deny", "site", "example.org"), ("allow", "type", "org.example.edit"),
            ].map(RuleDescription.init)
            for rule in all { try await rules.setRule(rule) }
            let before = world.engine.rules.all
            world.engine.rules.set(Rules())
            let again = try RulesObject(engine: world.engine, in: world.directory)
            #expect(world.engine.rules.all == before)
            #expect(again.status.rules == all)
            #expect(again.status.pausedUntil == end)
            try await again.resume()
            try await again.removeRule(kind: "site", value: "Example.Org")
            #expect(again.status.rules.count == 3)
            #expect(try !RulesObject(engine: world.engine, in: world.directory).status.isPaused)
        }
    }

    @Test("A pause whose end has passed while the daemon did not run is over")
    func past() async throws {
        try await EngineWorld.run { world in
            var file = RulesFile()
            file.rules.pause(.until(Moment.now.unixMicroseconds - 1))
            file.rules.isReceiveOnly = true
            try await RulesFile.file.write(file, to: world.directory)
            let rules = try RulesObject(engine: world.engine, in: world.directory)
            #expect(!rules.status.isPaused)
            #expect(rules.status.isReceiveOnly)
        }
    }

    @Test("A file with a rule that this version does not know keeps the daemon from starting, and stays as it is")
    func unknown() async throws {
        try await EngineWorld.run { world in
            struct Later: Codable {
                var rules = [["verdict": "deny", "kind": "planet", "value": "mars"]]
                var isReceiveOnly = false
                var isPaused = false
            }
            let file = StateFile<Later>(name: RulesFile.file.name, version: RulesFile.file.version)
            try await file.write(Later(), to: world.directory)
            let error = #expect(throws: HandoffError.self) {
                try RulesObject(engine: world.engine, in: world.directory)
            }
            #expect(error?.code == .stateDamaged)
            #expect(try file.read(from: world.directory) != nil)
        }
    }

    @Test(
        "What is no rule is refused, and changes nothing",
        arguments: [
            ("forbid", "type", "org.example.edit"), ("deny", "planet", "mars"), ("deny", "type", "edit"),
            ("deny", "site", "https://example.org"), ("deny", "device", "laptop"), ("deny", "app", ""),
        ]
    )
    func invalid(_ verdict: String, _ kind: String, _ value: String) async throws {
        try await EngineWorld.run { world in
            let rules = try RulesObject(engine: world.engine, in: world.directory)
            await #expect(throws: (any Error).self) {
                try await rules.setRule(RuleDescription(verdict: verdict, kind: kind, value: value))
            }
            await #expect(throws: (any Error).self) { try await rules.pause(until: 1) }
            #expect(world.engine.rules.all == Rules())
        }
    }
}
