@testable import HandoffCore
import HandoffModel
import TestLimits
import Testing

@Suite("The user's choice among several devices that pair", .endsWithin(minutes: 10))
struct PairingChoiceTests {
    @Test("A user who chooses a device that has gone meanwhile is told which one it was")
    func chosenAndGone() throws {
        var simulation = try PairingSimulation([.quick, .neverAnswers, .neverAnswers])
        simulation.sides[0].wanted = "device1"
        simulation.hearAll()
        while simulation.sides[0].offers.isEmpty, simulation.step() {}
        let wanted = simulation.sides[0].machine.candidates.byName.first { $0.peer.name.rawValue == "device1" }
        simulation.handle(.closed(try #require(wanted).channel), at: 0)
        while simulation.sides[0].retractions.isEmpty, simulation.step() {}
        #expect(simulation.sides[0].retractions == ["device1 is no longer pairing."])
    }
}
