import HandoffRadioConformance
@testable import HandoffRadioSimulated
import Testing

/// One promise after the other: each radio takes one of the 128 inotify instances that a user has.
@Suite("A simulated radio keeps the contract", .serialized)
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
