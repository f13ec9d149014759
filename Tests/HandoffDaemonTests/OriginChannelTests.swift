import HandoffCore
import HandoffRadio
import Synchronization
import Testing

@testable import HandoffDaemon

@Suite("The origin is dialled where it is by now")
struct OriginChannelTests {
    @Test("an origin that answers is dialled once")
    func atOnce() async throws {
        try await EngineWorld.runReady { world, peer in
            world.engine.heard(try peer.sighting(of: "edit"))
            let entry = try #require(world.nearby.first)
            let radio = DiallingRadio { _ in true }
            try await OriginChannel(engine: world.engine, radio: radio).withChannel(to: entry) { _ in }
            #expect(radio.dialled == [entry.address])
        }
    }

    @Test("an origin that does not answer is looked for, and dialled where it is heard next")
    func newAddress() async throws {
        try await EngineWorld.runReady { world, peer in
            world.engine.heard(try peer.sighting(of: "edit", from: "old"))
            let entry = try #require(world.nearby.first)
            let radio = DiallingRadio { $0 == RadioAddress("new") }
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    try await OriginChannel(engine: world.engine, radio: radio).withChannel(to: entry) { _ in }
                }
                // It is heard once somebody looks for it with full effort.
                var plan = world.engine.scanning.current
                while plan.value.effort != .continuous { plan = try await world.engine.scanning.changed(since: plan) }
                world.engine.heard(try peer.sighting(of: "edit", from: "new"))
                try await group.waitForAll()
            }
            #expect(radio.dialled == [RadioAddress("old"), RadioAddress("new")])
            #expect(world.effort == .dutyCycled)
        }
    }

    @Test("an origin that goes on with something else while it is looked for is not dialled again")
    func gone() async throws {
        try await EngineWorld.runReady { world, peer in
            world.engine.heard(try peer.sighting(of: "edit"))
            let entry = try #require(world.nearby.first)
            let radio = DiallingRadio { _ in false }
            await #expect(throws: HandoffError.self) {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask {
                        try await OriginChannel(engine: world.engine, radio: radio).withChannel(to: entry) { _ in }
                    }
                    var plan = world.engine.scanning.current
                    while plan.value.effort != .continuous {
                        plan = try await world.engine.scanning.changed(since: plan)
                    }
                    world.engine.heard(try peer.sighting(of: nil))
                    try await group.waitForAll()
                }
            }
            #expect(radio.dialled.count == 1)
            #expect(world.effort == .dutyCycled)
        }
    }

    @Test("a refusal is not tried again")
    func refused() async throws {
        try await EngineWorld.runReady { world, peer in
            world.engine.heard(try peer.sighting(of: "edit"))
            let entry = try #require(world.nearby.first)
            let radio = DiallingRadio { _ throws(RadioError) in throw RadioError(.refused, "nobody listens") }
            await #expect(throws: RadioError.self) {
                try await OriginChannel(engine: world.engine, radio: radio).withChannel(to: entry) { _ in }
            }
            #expect(radio.dialled.count == 1)
        }
    }
}

/// A radio that only dials, and whose channels carry nothing.
private final class DiallingRadio: Radio {
    private let answers: @Sendable (RadioAddress) throws(RadioError) -> Bool
    private let addresses = Mutex<[RadioAddress]>([])

    /// - Parameter answers: whether anybody answers at that address.
    init(_ answers: @escaping @Sendable (RadioAddress) throws(RadioError) -> Bool) {
        self.answers = answers
    }

    var dialled: [RadioAddress] { addresses.withLock { $0 } }

    func withChannel<Success: Sendable>(
        to address: RadioAddress,
        port: ChannelPort,
        timeout: Duration,
        _ body: (SilentChannel) async throws -> Success
    ) async throws -> Success {
        addresses.withLock { $0.append(address) }
        guard try answers(address) else { throw RadioError(.timedOut, "nobody answers") }
        return try await body(SilentChannel())
    }

    func run() async throws {}

    func states() -> AsyncStream<RadioState> { AsyncStream { $0.finish() } }

    func withAdvertisement<Success: Sendable>(
        _ advertisement: Advertisement,
        _ body: () async throws -> Success
    ) async throws -> Success {
        throw RadioError(.unusable, "this radio only dials")
    }

    func withScan<Success: Sendable>(
        for services: Set<ServiceUUID>,
        _ body: (AsyncStream<Sighting>) async throws -> Success
    ) async throws -> Success {
        throw RadioError(.unusable, "this radio only dials")
    }

    func withListener<Success: Sendable>(
        limit: Int,
        serving serve: @escaping @Sendable (SilentChannel) async -> Void,
        _ body: (ChannelPort) async throws -> Success
    ) async throws -> Success {
        throw RadioError(.unusable, "this radio only dials")
    }
}

private struct SilentChannel: RadioChannel {
    let peer = RadioAddress("peer")
    let maximumMessageLength = 23

    func send(_ message: [UInt8]) async throws(RadioError) {}

    func receive() async throws(RadioError) -> [UInt8]? { nil }
}
