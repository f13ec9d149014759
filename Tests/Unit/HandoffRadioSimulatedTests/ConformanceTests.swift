import HandoffRadioConformance
@testable import HandoffRadioSimulated
import TestLimits
import Testing

@Suite("A simulated radio keeps the contract", .endsWithin(minutes: 10))
struct ConformanceTests {
    @Test("in calm air", arguments: RadioRequirement<SimulatedWorld>.all)
    func calm(_ requirement: RadioRequirement<SimulatedWorld>) async throws {
        try await requirement.check(in: SimulatedWorld())
    }

    @Test("in bad air", arguments: RadioRequirement<SimulatedWorld>.all)
    func bad(_ requirement: RadioRequirement<SimulatedWorld>) async throws {
        var air = Air()
        air.loss = 0.2
        air.delay = .milliseconds(40)
        air.maximumMessageLength = 200
        try await requirement.check(in: SimulatedWorld(air: air))
    }
}
