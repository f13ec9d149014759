import HandoffCore
import HandoffCrypto
import HandoffRadio
import TestLimits
import Testing

@testable import HandoffDaemon

@Suite("The engine detects a trusted device with another time", .endsWithin(minutes: 10))
struct EngineClockTests {
    /// The advertisement report of a device whose clock is that many slots ahead.
    private static func advertisementReport(of peer: Peer, ahead slots: Int) throws -> AdvertisementReport {
        let slot = Moment.now.slot &+ UInt64(bitPattern: Int64(slots))
        return AdvertisementReport(
            address: RadioAddress("C0:00:00:00:00:01/random"),
            service: Engine.service,
            data: try #require(AdvertisementSealer(key: .daily(peer.advertisingKey.daily), slot: slot)).seal([
                0x10, 1, 2, 3, 4, 5,
            ]),
            rssi: -60
        )
    }

    @Test("A skew of one slot is accepted; with two hours, the device is not shown but reported by its name")
    func skew() async throws {
        try await EngineWorld.runReady { world, peer in
            for slots in [-1, 1] {
                try await world.engine.trust.remove(peer.device.id)
                try await world.engine.trust.keep(peer.device.id)
                try await world.engine.trust.receive(peer.message([]), from: peer.device.id)
                world.engine.nearby.receive(try Self.advertisementReport(of: peer, ahead: slots))
                #expect(world.engine.read { $0.nearby.lastSeen[peer.device.id] } != nil)
            }
            #expect(world.engine.nearby.clockAdvisories().isEmpty)
        }
        try await EngineWorld.runReady { world, peer in
            world.engine.nearby.receive(try Self.advertisementReport(of: peer, ahead: 8))
            #expect(world.nearby.isEmpty)
            #expect(world.engine.nearby.clockAdvisories().map(\.name) == ["clock-differs"])
            #expect(
                world.engine.nearby.clockAdvisories().first?.message.contains("laptop is about 2 hours ahead") == true
            )
            #expect(world.effects.all == ["radio"])
            world.engine.nearby.receive(try peer.advertisementReport(of: "edit"))
            #expect(world.engine.nearby.clockAdvisories().isEmpty, "it was heard with the right time")
        }
    }

    @Test("A clock that shows a time before the program was written is an advisory of its own")
    func unsetClock() async throws {
        try await EngineWorld.run { world in
            let unset = Moment(uptime: .seconds(1), unixMicroseconds: 1_000_000)
            #expect(world.engine.nearby.clockAdvisories(at: unset).map(\.name) == ["clock-unset"])
            #expect(world.engine.nearby.clockAdvisories().isEmpty)
        }
    }
}
