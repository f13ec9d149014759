import Foundation
import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffRadio
import HandoffRadioConformance
import HandoffRadioSimulated
import HandoffTestSupport
import HandoffWire
import TestLimits
import Testing

@Suite("A copy of a device is reported on proof, and on nothing else", .endsWithin(minutes: 15, instances: 6))
struct CopyStories {
    /// A device reports nothing of the slot in which it started; what is one slot ahead is later.
    private static let slotSeconds = Int(AdvertisementSealer.slotSeconds)

    @Test("A machine with a copy of the state directory, and the original, both tell their users")
    func copy() async throws {
        try await World.runPair { world, laptop, desktop in
            let copy = world.stateDirectory(of: "copy")
            try FileManager.default.copyItem(atPath: world.stateDirectory(of: "laptop"), toPath: copy)
            try await world.withDevice("copy", clockAhead: Self.slotSeconds) { copy in
                try await laptop.publishing("org.example.edit") { _ in
                    try await copy.publishing("org.example.draw") { _ in
                        try await laptop.log.event("identity.ownkey")
                        try await laptop.log.event("identity.copied")
                        try await copy.log.event("identity.copied")
                    }
                }
                for device in [laptop, copy] {
                    let advisories = try await device.advisories
                    #expect(advisories.map(\.name).contains("identity-copied"))
                    #expect(advisories.contains { $0.message.contains("delete the state directory on both machines") })
                }
                #expect(try await desktop.advisories.map(\.name).isEmpty)
            }
        }
    }

    @Test("An advertisement that a member forges is a hint, also when the attacker passes the device's call back to it")
    func relayedCall() async throws {
        try await World.runPair { world, laptop, desktop in
            let (radio, caller) = (
                SimulatedRadio(directory: world.airDirectory, name: "relay"),
                SimulatedRadio(directory: world.airDirectory, name: "relay-caller")
            )
            try await laptop.publishing("org.example.edit") { _ in
                try await withReadyRadios([radio, caller]) {
                    let (address, port) = try await UntrustedClient.endpoint(of: laptop, with: caller)
                    try await radio.withListener(limit: 4) { channel in
                        try? await caller.withChannel(to: address, port: port, timeout: .seconds(10)) { far in
                            try await Self.relay(between: channel, and: far)
                        }
                    } _: { ownPort in
                        let slot = AdvertisementSealer.slot(unixSeconds: Int64(Date.now.timeIntervalSince1970)) + 1
                        let key = SealingKey.daily(try laptop.advertisingKeyRecord.daily)
                        let sealer = try #require(AdvertisementSealer(key: key, slot: slot))
                        let payload = AdvertisementPayload(
                            hasWebpage: false,
                            port: ownPort,
                            typeHash: try ActivityType("org.example.draw").hash,
                            number: AdvertisementNumber(slot: slot, lowNineBits: 1)
                        )
                        let forged = Advertisement(
                            service: Attacker.service,
                            data: sealer.seal(payload.encode()),
                            pace: .fast
                        )
                        try await radio.withAdvertisement(forged) {
                            try await laptop.log.event("identity.ownkey")
                            try await laptop.log.event("identity.unproved")
                        }
                    }
                }
            }
            #expect(try await laptop.advisories.map(\.name) == ["own-key-heard"])
            let reported = laptop.log.lines.contains { $0.isLogLine(of: "identity.copied") }
            #expect(!reported)
        }
    }

    /// Passes on everything in both directions until one side closes.
    private static func relay(between near: some RadioChannel, and far: some RadioChannel) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { while let bytes = try await near.receive() { try await far.send(bytes) } }
            group.addTask { while let bytes = try await far.receive() { try await near.send(bytes) } }
            try await group.next()
            group.cancelAll()
        }
    }
}

extension Device {
    /// The advisories that `handoffctl status` shows.
    fileprivate var advisories: [(name: String, message: String)] {
        get async throws {
            try await json("status")["advisories"].array.map { ($0["name"].string, $0["message"].string) }
        }
    }
}
