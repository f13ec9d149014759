import HandoffRadioConformance
@testable import HandoffRadioSimulated
import TestLimits
import Testing

@Suite("A simulated radio keeps the contract", .endsWithin(minutes: 10))
struct ConformanceTests {
    @Test("in calm air", arguments: Promise<SimulatedWorld>.all)
    func calm(_ promise: Promise<SimulatedWorld>) async throws {
        try await promise.check(in: SimulatedWorld())
    }

    @Test("in bad air", arguments: Promise<SimulatedWorld>.all)
    func bad(_ promise: Promise<SimulatedWorld>) async throws {
        var air = Air()
        air.loss = 0.2
        air.delay = .milliseconds(40)
        air.maximumMessageLength = 200
        try await promise.check(in: SimulatedWorld(air: air))
    }
}
