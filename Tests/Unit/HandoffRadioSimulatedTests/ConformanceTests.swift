import HandoffRadioConformance
@testable import HandoffRadioSimulated
import TestLimits
import Testing

@Suite("A simulated radio meets the radio requirements", .endsWithin(minutes: 10))
struct ConformanceTests {
    @Test("Each requirement is met in an air without faults", arguments: RadioRequirement<SimulatedWorld>.all)
    func calm(_ requirement: RadioRequirement<SimulatedWorld>) async throws {
        try await requirement.check(in: SimulatedWorld())
    }

    @Test("Each requirement is met in an air with loss and delay", arguments: RadioRequirement<SimulatedWorld>.all)
    func bad(_ requirement: RadioRequirement<SimulatedWorld>) async throws {
        var air = Air()
        air.loss = 0.2
        air.delay = .milliseconds(40)
        air.maximumMessageLength = 200
        try await requirement.check(in: SimulatedWorld(air: air))
    }
}
