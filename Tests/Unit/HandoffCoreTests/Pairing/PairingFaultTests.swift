import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffWire
import TestLimits
import Testing

@Suite("A pairing in which a message is lost, late or doubled", .endsWithin(minutes: 10))
struct PairingFaultTests {
    /// A fault, the message that has it, and the users who compare the digits.
    struct Scenario: Sendable, CustomTestStringConvertible {
        let fault: PairingSimulation.Fault
        let message: Int
        let users: [PairingSimulation.UserBehavior]

        var testDescription: String { "\(fault) \(message) \(users[0])/\(users[1])" }
    }

    /// The number of messages that no run without faults exceeds.
    private static let messages = 20

    private static let scenarios: [Scenario] = PairingSimulation.Fault.allCases.flatMap { fault in
        PairingSimulation.UserBehavior.allCases.flatMap { first in
            PairingSimulation.UserBehavior.allCases.flatMap { second in
                (0..<messages).map { Scenario(fault: fault, message: $0, users: [first, second]) }
            }
        }
    }

    @Test(
        "No fault leaves one side paired and the other not, and the next contact reconciles what is open",
        arguments: [0, 1]
    )
    func faults(_ caller: Int) async throws {
        var endings: [String: Int] = [:]
        for scenario in Self.scenarios {
            // Thousands of handshakes would otherwise keep a thread from all other tests.
            await Task.yield()
            var simulation = try PairingSimulation(scenario.users)
            simulation.fault = (scenario.message, scenario.fault)
            simulation.run()
            try Self.check(&simulation, scenario, caller: caller)
            endings[simulation.outcomes.sorted().joined(separator: " "), default: 0] += 1
        }
        // All of these outcomes occur, and no forbidden one.
        #expect(
            Set(endings.keys) == [
                "paired paired", "notPaired notPaired", "paired unconfirmed", "notPaired unconfirmed",
                "unconfirmed unconfirmed",
            ],
            "\(endings)"
        )
    }

    private static func check(_ simulation: inout PairingSimulation, _ scenario: Scenario, caller: Int) throws {
        let name = Comment(rawValue: scenario.testDescription)
        for index in 0...1 {
            let side = simulation.sides[index]
            #expect(side.outcome != nil, name)
            #expect(side.machine.isOver, name)
            // A side reports that it is paired if, and only if, it trusts its peer.
            #expect((side.outcome?.word == "paired") == !side.trusted.isEmpty, name)
        }
        let ended = Set(simulation.outcomes)
        #expect(ended != ["paired", "notPaired"], name)
        // The sides meet again, first with the answer lost, then with each acknowledgement lost, then without a fault.
        for fault in [PairingSimulation.ReconciliationFault.answerLost, .acknowledgementLost, .conclusionLost, .none] {
            try simulation.reconcile(from: caller, to: 1 - caller, fault)
        }
        try simulation.reconcile(from: 1 - caller, to: caller)
        #expect(simulation.sides[0].trusted.isEmpty == simulation.sides[1].trusted.isEmpty, name)
        #expect(simulation.nothingUnconfirmed, name)
        if ended.contains("paired") { #expect(!simulation.sides[0].trusted.isEmpty, name) }
        if ended.contains("notPaired") { #expect(simulation.sides[0].trusted.isEmpty, name) }
    }

    @Test("A message that is lost before the digits is retried, and the user needs no second request")
    func triedAgain() throws {
        for message in 0..<7 {
            var simulation = try PairingSimulation([.quick, .quick])
            simulation.fault = (message, .lost)
            simulation.run()
            #expect(simulation.outcomes == ["paired", "paired"], "message \(message)")
        }
    }
}
