import DBus
import HandoffModel
import TestLimits
import Testing

@testable import HandoffBus
@testable import HandoffCLI

@Suite("Pauses and rules on the command line", .endsWithin(minutes: 10))
struct RuleArgumentTests {
    @Test(
        "A duration is a list of numbers with units",
        arguments: [("90s", 90), ("30m", 1800), ("1h", 3600), ("1h30m", 5400), ("2d", 172_800), ("366d", 31_622_400)]
    )
    func durations(_ text: String, _ seconds: Int64) {
        #expect(PauseDuration(argument: text)?.seconds == seconds)
    }

    @Test(
        "Any other text is no duration",
        arguments: [
            "", "1", "h", "-1h", "1.5h", "1 h", "0s", "0h0m", "367d", "366d1s", "99999999999999999999s", "1w", "١h",
        ]
    )
    func noDuration(_ text: String) {
        #expect(PauseDuration(argument: text) == nil)
    }

    @Test(
        "An address stands for its host",
        arguments: [
            ("https://example.org/a?b#c", "example.org"), ("example.org", "example.org"),
            ("http://example.org?x", "example.org"),
        ]
    )
    func hosts(_ text: String, _ host: String) {
        #expect(RuleArguments.host(of: text) == host)
    }

    @Test("A pause is told with its end, and nothing is told without a pause")
    func sentence() throws {
        let now = try Timestamp(seconds: 1_700_000_000, nanoseconds: 0)
        #expect(RulesStatus([:]).pauseSentence(at: now) == nil)
        let endless = RulesStatus(["Paused": .boolean(true), "PausedUntil": .uint64(0)])
        #expect(endless.pauseSentence(at: now) == "Handoff is paused; `handoffctl resume` ends the pause.")
        let end = Value.uint64(1_700_003_600_000_000)
        let sentence = RulesStatus(["Paused": .boolean(true), "PausedUntil": end]).pauseSentence(at: now)
        #expect(sentence?.contains(/paused until \d\d:\d\d;/) == true)
    }

    @Test("What does not work is a problem; what a person wants so, or only could work better, is none")
    func problems() {
        func names(_ properties: [String: Value]) -> [String] {
            let objects = HandoffObjects(
                managedObjects: .dictionary(key: .objectPath, value: [String: Value]().value.type, [])
            )
            let report = StatusReport(
                status: DaemonStatus(properties),
                objects: objects,
                rules: RulesStatus(["Paused": .boolean(true)]),
                needRestart: ["radio"]
            )
            return report.problems.map(\.name)
        }
        let advisories = ["withheld", "slow-advertising", "device-name", "not-advertising", "clock-unset", "later"]
        let list = Value.advisories(advisories.map { ($0, "A sentence.") })
        #expect(
            names(["RadioState": .string("ready"), "Advisories": list])
                == ["not-advertising", "clock-unset", "later", "no-devices"]
        )
        #expect(names(["RadioState": .string("BluetoothOff")]) == ["BluetoothOff", "no-devices"])
    }
}
