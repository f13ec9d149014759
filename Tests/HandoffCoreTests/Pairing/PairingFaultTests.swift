import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffWire
import TestLimits
import Testing

@Suite("Each message of a pairing lost, late or doubled", .endsWithin(minutes: 10))
struct PairingFaultTests {
    /// What happens, to which message, while which people compare.
    struct Story: Sendable, CustomTestStringConvertible {
        let fault: PairingAir.Fault
        let message: Int
        let people: [PairingAir.Person]

        var testDescription: String { "\(fault) \(message) \(people[0])/\(people[1])" }
    }

    /// No run without faults has more messages.
    private static let messages = 20

    private static let stories: [Story] = PairingAir.Fault.allCases.flatMap { fault in
        PairingAir.Person.allCases.flatMap { first in
            PairingAir.Person.allCases.flatMap { second in
                (0..<messages).map { Story(fault: fault, message: $0, people: [first, second]) }
            }
        }
    }

    @Test("never is one side paired and the other not, and the next contact settles what is open", arguments: [0, 1])
    func faults(_ caller: Int) throws {
        var endings: [String: Int] = [:]
        for story in Self.stories {
            var air = try PairingAir(story.people)
            air.fault = (story.message, story.fault)
            air.run()
            try Self.check(&air, story, caller: caller)
            endings[air.outcomes.sorted().joined(separator: " "), default: 0] += 1
        }
        // All of these happen; what must not happen is not among them.
        #expect(
            Set(endings.keys) == [
                "paired paired", "notPaired notPaired", "paired unconfirmed", "notPaired unconfirmed",
                "unconfirmed unconfirmed",
            ],
            "\(endings)"
        )
    }

    private static func check(_ air: inout PairingAir, _ story: Story, caller: Int) throws {
        let name = Comment(rawValue: story.testDescription)
        for index in 0...1 {
            let side = air.sides[index]
            #expect(side.outcome != nil, name)
            #expect(side.machine.isOver, name)
            // Nothing more is claimed than what is so.
            #expect((side.outcome?.word == "paired") == !side.trusted.isEmpty, name)
        }
        let ended = Set(air.outcomes)
        #expect(ended != ["paired", "notPaired"], name)
        // The sides meet again, first with the answer lost, then with the acknowledgement lost, then without a fault.
        for fault in [PairingAir.SettlingFault.answerLost, .acknowledgementLost, .none] {
            try air.settle(from: caller, to: 1 - caller, fault)
        }
        try air.settle(from: 1 - caller, to: caller)
        #expect(air.sides[0].trusted.isEmpty == air.sides[1].trusted.isEmpty, name)
        #expect(air.nothingUnconfirmed, name)
        if ended.contains("paired") { #expect(!air.sides[0].trusted.isEmpty, name) }
        if ended.contains("notPaired") { #expect(air.sides[0].trusted.isEmpty, name) }
    }

    @Test("the first message at any place needs no second request: what was lost before the digits is tried again")
    func triedAgain() throws {
        for message in 0..<7 {
            var air = try PairingAir([.quick, .quick])
            air.fault = (message, .lost)
            air.run()
            #expect(air.outcomes == ["paired", "paired"], "message \(message)")
        }
    }
}
