import HandoffRadioConformance
import Testing

@Suite("A simulated radio keeps the contract")
struct ConformanceTests {
    @Test("promise", arguments: Promise<SimulatedWorld>.all)
    func promise(_ promise: Promise<SimulatedWorld>) async throws {
        try await promise.check(in: SimulatedWorld())
    }
}
