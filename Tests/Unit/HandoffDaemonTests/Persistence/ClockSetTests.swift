import HandoffCore
import HandoffCrypto
import HandoffModel
import SystemPackage
import TestLimits
import Testing

@testable import HandoffDaemon

@Suite("A clock that was wrong for a moment silences no device", .endsWithin(minutes: 10))
struct ClockSetTests {
    /// Noon of some day.
    private static let slot: UInt64 = 96 * 20000 + 48

    @Test(
        "A device whose clock was set to another year and back can be heard again, and hear",
        arguments: [96 * 365, 96 * 3000, 96 * 5000] as [UInt64]
    )
    func aheadAndBack(distance: UInt64) async throws {
        try await withDevices(at: Self.slot) { devices in
            let peer = try Peer("laptop")
            try devices.insert(peer.device, key: .generate(day: 20000))
            devices.advance(to: Self.slot + distance)
            devices.advance(to: Self.slot)
            try expectHeard(devices, peer)
        }
    }

    @Test("A device that was first started with its clock in 1970 is heard when the clock is right")
    func firstStartWithoutClock() async throws {
        try await withDevices(at: 3) { devices in
            let peer = try Peer("laptop")
            try devices.insert(peer.device)
            devices.advance(to: Self.slot)
            try expectHeard(devices, peer)
        }
    }

    private func expectHeard(_ devices: TrustedDevices, _ peer: Peer) throws {
        #expect(AdvertisementSealer(key: .daily(devices.ownKey.daily), slot: Self.slot) != nil)
        let directed = try #require(try devices.directedKeys(with: peer.device.id))
        #expect(AdvertisementSealer(key: directed.sending, slot: Self.slot) != nil)
        for key in directed.receiving { #expect(AdvertisementSealer(key: key, slot: Self.slot) != nil) }
        // The other device does not know the new keys yet.
        #expect(devices.hasUpdate(for: peer.device.id))
    }

    private func withDevices(at slot: UInt64, _ body: (inout TrustedDevices) async throws -> Void) async throws {
        try await withTemporaryDirectory { path in
            try await StateDirectory.withDirectory(at: path) { directory in
                let identity = try await Identity.loaded(from: directory)
                var devices = try TrustedDevices(from: directory, for: identity, named: DeviceName("desk"), at: slot)
                try await body(&devices)
            }
        }
    }
}
