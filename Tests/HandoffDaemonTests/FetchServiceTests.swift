import HandoffCore
import HandoffModel
import HandoffRadio
import Testing

@testable import HandoffDaemon

@Suite("An activity is fetched from where its device is", .timeLimit(.minutes(1)))
struct FetchServiceTests {
    @Test("a device that is heard at another address while it is dialled is dialled there")
    func moved() async throws {
        try await EngineWorld.runReady { world, peer in
            let (old, new) = (RadioAddress("C0:00:00:00:00:01/random"), RadioAddress("C0:00:00:00:00:02/random"))
            let radio = DialledRadio(refusing: new)
            let service = FetchService(engine: world.engine, radio: radio, logger: world.engine.logger)
            world.engine.heard(try peer.sighting(of: "edit", from: old))
            let id = try #require(world.nearby.first).id
            await withThrowingTaskGroup(of: Void.self) { group in
                defer { group.cancelAll() }
                group.addTask { try await service.run() }
                group.addTask {
                    // Only once the old address is being dialled does the device move.
                    _ = try await radio.dials.changed(since: radio.dials.initial)
                    world.engine.heard(try peer.sighting(of: "edit", from: new))
                }
                await #expect {
                    try await service.fetch(id)
                } throws: { error in
                    (error as? HandoffError)?.code == .peerRefused
                }
            }
            #expect(radio.dials.current.value == [old, new])
        }
    }

    @Test("a device that is heard where it is dialled is not dialled anew")
    func stayed() async throws {
        try await EngineWorld.runReady { world, peer in
            let address = RadioAddress("C0:00:00:00:00:01/random")
            let radio = DialledRadio()
            let service = FetchService(engine: world.engine, radio: radio, logger: world.engine.logger)
            world.engine.heard(try peer.sighting(of: "edit", from: address))
            let id = try #require(world.nearby.first).id
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await service.run() }
                group.addTask { _ = try await service.fetch(id) }
                _ = try await radio.dials.changed(since: radio.dials.initial)
                for _ in 0..<100 { world.engine.heard(try peer.sighting(of: "edit", from: address)) }
                group.cancelAll()
            }
            #expect(radio.dials.current.value == [address])
        }
    }

    @Test("a device whose link breaks is dialled again, and not for ever")
    func broken() async throws {
        try await EngineWorld.runReady { world, peer in
            let address = RadioAddress("C0:00:00:00:00:01/random")
            let radio = DialledRadio(breaking: address)
            let service = FetchService(engine: world.engine, radio: radio, logger: world.engine.logger)
            world.engine.heard(try peer.sighting(of: "edit", from: address))
            let id = try #require(world.nearby.first).id
            await withThrowingTaskGroup(of: Void.self) { group in
                defer { group.cancelAll() }
                group.addTask { try await service.run() }
                await #expect {
                    try await service.fetch(id)
                } throws: { error in
                    (error as? HandoffError)?.code == .peerUnreachable
                }
            }
            #expect(radio.dials.current.value == [address, address, address])
        }
    }

    @Test("what is wrong once a broken link was made again is what is told")
    func brokenOnce() async throws {
        try await EngineWorld.runReady { world, peer in
            let address = RadioAddress("C0:00:00:00:00:01/random")
            let radio = DialledRadio(refusing: address, breaking: address, breaks: 1)
            let service = FetchService(engine: world.engine, radio: radio, logger: world.engine.logger)
            world.engine.heard(try peer.sighting(of: "edit", from: address))
            let id = try #require(world.nearby.first).id
            await withThrowingTaskGroup(of: Void.self) { group in
                defer { group.cancelAll() }
                group.addTask { try await service.run() }
                await #expect {
                    try await service.fetch(id)
                } throws: { error in
                    (error as? HandoffError)?.code == .peerRefused
                }
            }
            #expect(radio.dials.current.value == [address, address])
        }
    }

    @Test("a device whose link breaks and which is heard elsewhere too is dialled there, and again where it broke")
    func brokenAndElsewhere() async throws {
        try await EngineWorld.runReady { world, peer in
            let (near, other) = (RadioAddress("C0:00:00:00:00:01/random"), RadioAddress("C0:00:00:00:00:02/random"))
            let radio = DialledRadio(refusing: other, breaking: near)
            let service = FetchService(engine: world.engine, radio: radio, logger: world.engine.logger)
            world.engine.heard(try peer.sighting(of: "edit", from: other))
            world.engine.heard(try peer.sighting(of: "edit", from: near))
            let id = try #require(world.nearby.first).id
            await withThrowingTaskGroup(of: Void.self) { group in
                defer { group.cancelAll() }
                group.addTask { try await service.run() }
                await #expect(throws: HandoffError.self) { try await service.fetch(id) }
            }
            #expect(radio.dials.current.value == [near, other, near, near])
        }
    }
}
