import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffWire
import TestLimits
import Testing

@Suite("A pairing in which a message is lost, late or doubled", .endsWithin(minutes: 10))
struct PairingFaultTests {
    /// Two devices that run to their ends, with a fault in one message or without any.
    private struct Run {
        let name: Comment
        var simulation: PairingSimulation

        init(_ simulation: PairingSimulation) {
            let users = "\(simulation.sides[0].user)/\(simulation.sides[1].user)"
            let fault = simulation.fault.map { "\($0.1) \($0.message)" } ?? "no fault"
            name = Comment(rawValue: "\(fault) \(users)")
            self.simulation = simulation
        }
    }

    /// One run for each fault of each message that two users' devices send when there is none, just before the message;
    /// and the run without a fault, at its end.
    ///
    /// The runs have the same history before their faults, and share it with its keys: it is computed once.
    private static func runs(_ users: [PairingSimulation.UserBehavior]) throws -> [Run] {
        var undisturbed = try PairingSimulation(users)
        undisturbed.hearAll()
        var runs: [Run] = []
        var before = undisturbed
        while undisturbed.step() {
            for message in before.messageCount..<undisturbed.messageCount {
                for fault in PairingSimulation.Fault.allCases {
                    var disturbed = before
                    disturbed.fault = (message, fault)
                    runs.append(Run(disturbed))
                }
            }
            before = undisturbed
        }
        return runs + [Run(undisturbed)]
    }

    @Test("No fault leaves one side paired and the other not, and the next contact reconciles what is open")
    func faults() async throws {
        var endings: [String: Int] = [:]
        for first in PairingSimulation.UserBehavior.allCases {
            for second in PairingSimulation.UserBehavior.allCases {
                for run in try Self.runs([first, second]) {
                    // Hundreds of handshakes would otherwise keep a thread from all other tests.
                    await Task.yield()
                    var ended = run.simulation
                    while ended.step() {}
                    for caller in 0...1 { try Self.check(ended, run.name, caller: caller) }
                    endings[ended.outcomes.sorted().joined(separator: " "), default: 0] += 1
                }
            }
        }
        // All of these outcomes occur, and no forbidden one.
        #expect(
            Set(endings.keys) == [
                "paired paired", "notPaired notPaired", "paired unconfirmed", "notPaired unconfirmed",
                "unconfirmed unconfirmed",
            ],
            "\(endings)"
        )
        print("pairing: \(endings.values.reduce(0, +)) runs with a fault in each message of each run without one")
    }

    /// Checks how a run has ended, and that the devices agree once one of them, and then the other, has asked.
    private static func check(_ ended: PairingSimulation, _ name: Comment, caller: Int) throws {
        var simulation = ended
        for index in 0...1 {
            let side = simulation.sides[index]
            #expect(side.outcome != nil, name)
            #expect(side.machine.isOver, name)
            // A side reports that it is paired if, and only if, it trusts its peer.
            #expect((side.outcome?.word == "paired") == !side.trusted.isEmpty, name)
        }
        let outcomes = Set(simulation.outcomes)
        #expect(outcomes != ["paired", "notPaired"], name)
        // The sides meet again, first with the answer lost, then with each acknowledgement lost, then without a fault.
        for fault in [PairingSimulation.ReconciliationFault.answerLost, .acknowledgementLost, .conclusionLost, .none] {
            try simulation.reconcile(from: caller, to: 1 - caller, fault)
        }
        try simulation.reconcile(from: 1 - caller, to: caller)
        #expect(simulation.sides[0].trusted.isEmpty == simulation.sides[1].trusted.isEmpty, name)
        #expect(simulation.nothingUnconfirmed, name)
        if outcomes.contains("paired") { #expect(!simulation.sides[0].trusted.isEmpty, name) }
        if outcomes.contains("notPaired") { #expect(simulation.sides[0].trusted.isEmpty, name) }
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
