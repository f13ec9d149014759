import HandoffRadioConformance
@testable import HandoffRadioSimulated
import Testing

@Suite("A simulated radio keeps the contract")
struct ConformanceTests {
    /// How many promises are checked at once: each radio takes one of the 128 inotify instances that a user has.
    private static let places = Credits(16)

    @Test("in calm air", arguments: Promise<SimulatedWorld>.all)
    func calm(_ promise: Promise<SimulatedWorld>) async throws {
        try await check(promise, in: SimulatedWorld())
    }

    @Test("in bad air", arguments: Promise<SimulatedWorld>.all)
    func bad(_ promise: Promise<SimulatedWorld>) async throws {
        var air = Air()
        air.loss = 0.2
        air.delay = .milliseconds(40)
        air.maximumMessageLength = 200
        try await check(promise, in: SimulatedWorld(air: air))
    }

    private func check(_ promise: Promise<SimulatedWorld>, in world: SimulatedWorld) async throws {
        try #require(await Self.places.take())
        defer { Self.places.give() }
        try await promise.check(in: world)
    }
}
