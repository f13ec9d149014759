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
        let fault: PairingSimulation.Fault
        let message: Int
        let people: [PairingSimulation.UserBehavior]

        var testDescription: String { "\(fault) \(message) \(people[0])/\(people[1])" }
    }

    /// No run without faults has more messages.
    private static let messages = 20

    private static let stories: [Story] = PairingSimulation.Fault.allCases.flatMap { fault in
        PairingSimulation.UserBehavior.allCases.flatMap { first in
            PairingSimulation.UserBehavior.allCases.flatMap { second in
                (0..<messages).map { Story(fault: fault, message: $0, people: [first, second]) }
            }
        }
    }

    @Test("never is one side paired and the other not, and the next contact settles what is open", arguments: [0, 1])
    func faults(_ caller: Int) throws {
        var endings: [String: Int] = [:]
        for story in Self.stories {
            var simulation = try PairingSimulation(story.people)
            simulation.fault = (story.message, story.fault)
            simulation.run()
            try Self.check(&simulation, story, caller: caller)
            endings[simulation.outcomes.sorted().joined(separator: " "), default: 0] += 1
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

    private static func check(_ simulation: inout PairingSimulation, _ story: Story, caller: Int) throws {
        let name = Comment(rawValue: story.testDescription)
        for index in 0...1 {
            let side = simulation.sides[index]
            #expect(side.outcome != nil, name)
            #expect(side.machine.isOver, name)
            // Nothing more is claimed than what is so.
            #expect((side.outcome?.word == "paired") == !side.trusted.isEmpty, name)
        }
        let ended = Set(simulation.outcomes)
        #expect(ended != ["paired", "notPaired"], name)
        // The sides meet again, first with the answer lost, then with the acknowledgement lost, then without a fault.
        for fault in [PairingSimulation.ReconciliationFault.answerLost, .acknowledgementLost, .none] {
            try simulation.reconcile(from: caller, to: 1 - caller, fault)
        }
        try simulation.reconcile(from: 1 - caller, to: caller)
        #expect(simulation.sides[0].trusted.isEmpty == simulation.sides[1].trusted.isEmpty, name)
        #expect(simulation.nothingUnconfirmed, name)
        if ended.contains("paired") { #expect(!simulation.sides[0].trusted.isEmpty, name) }
        if ended.contains("notPaired") { #expect(simulation.sides[0].trusted.isEmpty, name) }
    }

    @Test("the first message at any place needs no second request: what was lost before the digits is tried again")
    func triedAgain() throws {
        for message in 0..<7 {
            var simulation = try PairingSimulation([.quick, .quick])
            simulation.fault = (message, .lost)
            simulation.run()
            #expect(simulation.outcomes == ["paired", "paired"], "message \(message)")
        }
    }
}
