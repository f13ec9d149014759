import AsyncSupport
import Bluetooth
import DBus
import HandoffBus
import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffRadio
import HandoffWire
import TestLimits
import Testing

@testable import HandoffDaemon

@Suite("The engine turns events into plans and effects", .endsWithin(minutes: 10))
struct EngineTests {
    @Test("Changes that programs make to activities are shown in the order in which they happened")
    func activities() async throws {
        try await EngineWorld.run { world in
            let one = try world.publish("one")
            let two = try world.publish("two")
            try world.engine.activities.update(two, to: .sample("two", line: 2), isEligible: true, by: ":1.1")
            try world.engine.activities.resignCurrent(two, by: ":1.1")
            try world.engine.activities.invalidate(one, by: ":1.1")
            #expect(
                world.effects.all == [
                    "added 1", "current - to 1", "added 2", "current 1 to 2", "changed 2", "current 2 to 1",
                    "removed 1", "current - to -",
                ]
            )
        }
    }

    @Test("An activity of another program cannot be changed")
    func ownership() async throws {
        try await EngineWorld.run { world in
            let id = try world.publish()
            world.effects.clear()
            #expect { try world.engine.activities.invalidate(id, by: ":1.2") } throws: {
                ($0 as? HandoffError)?.code == .notOwner
            }
            #expect {
                try world.engine.activities.update(id, to: .sample(line: 9), isEligible: false, by: ":1.2")
            } throws: { error in
                (error as? HandoffError)?.code == .notOwner
            }
            #expect(world.effects.all.isEmpty)
            #expect(world.engine.read { $0.origin.current?.id } == id)
        }
    }

    @Test("The exit of a program removes its activities and its request to scan")
    func clientLeaves() async throws {
        try await EngineWorld.runReady { world, _ in
            _ = try world.publish("mine", by: ":1.1")
            _ = try world.publish("theirs", by: ":1.2")
            world.engine.nearby.startLooking(for: ":1.2")
            #expect(world.effort == .continuous)
            world.effects.clear()
            world.engine.activities.clientLeft(":1.2")
            #expect(world.effects.all == ["removed 2", "current - to 1"])
            #expect(world.effort == .windows(rest: .seconds(3)))
        }
    }

    @Test("The end of the bus removes all programs")
    func allClientsLeave() async throws {
        try await EngineWorld.runReady { world, _ in
            _ = try world.publish("mine", by: ":1.1")
            _ = try world.publish("theirs", by: ":1.2")
            world.engine.nearby.startLooking(for: ":1.3")
            world.engine.activities.allClientsLeft()
            #expect(world.engine.read { $0.origin.owners.isEmpty && $0.nearby.activeScanners.isEmpty })
        }
    }

    @Test("Nothing is advertised without an activity, a radio, a listener and a device that could read it")
    func advertisingNeedsAll() async throws {
        try await EngineWorld.run { world in
            _ = try world.publish()
            #expect(world.advertisement == nil)
            world.engine.radio.radioChanged(to: .ready(RadioDescription(name: "test")))
            #expect(world.advertisement == nil)
            world.engine.radio.listening(at: .sample)
            #expect(world.advertisement == nil)
            let peer = try Peer("laptop")
            try await world.engine.trust.add(peer.device, key: peer.advertisingKey)
            #expect(world.advertisement != nil)
            world.engine.radio.listening(at: nil)
            #expect(world.advertisement == nil)
            world.engine.radio.listening(at: .sample)
            #expect(world.advertisement != nil)
            world.engine.radio.radioChanged(to: .unavailable(RadioError(.poweredOff, "off")))
            #expect(world.advertisement == nil)
            world.engine.radio.radioChanged(to: .ready(RadioDescription(name: "test")))
            #expect(world.advertisement != nil)
            try await world.engine.trust.remove(peer.device.id)
            #expect(world.advertisement == nil)
        }
    }

    @Test("An advertisement gives trusted devices the current activity and its port")
    func advertisement() async throws {
        try await EngineWorld.runReady { world, _ in
            _ = try world.publish()
            let advertisement = try #require(world.advertisement)
            var opener = AdvertisementOpener(keys: [(1, world.engine.read(\.trust.ownKey))])
            let opened = opener.open(advertisement.data, slot: Moment.now.slot)
            let payload = try AdvertisementPayload(decoding: try #require(opened).plaintext, slot: Moment.now.slot)
            #expect(payload.typeHash == (try ActivityType("org.example.edit").hash))
            #expect(payload.port.number == 0x81)
            #expect(advertisement.pace == .fast)
        }
    }

    @Test("At the border of two slots, the advertisement is still that of the slot before")
    func slotChange() async throws {
        try await EngineWorld.runReady { world, _ in
            _ = try world.publish()
            let now = Moment.now
            // Only the wall clock moves on, so that no turn of a lagging member is due.
            let unix = now.advanced(by: now.timeToNextSlot).unixMicroseconds
            let border = Moment(uptime: now.uptime, unixMicroseconds: unix)
            let plans = world.engine.edit { $0.advance(to: border, since: nil) }
            var opener = AdvertisementOpener(keys: [(1, world.engine.read(\.trust.ownKey))])
            let advertisement = try #require(plans.advertising.advertisement)
            #expect(opener.open(advertisement.data, slot: border.slot)?.slotOffset == -1)
            #expect(try #require(plans.deadline) <= border.advanced(by: SlotSchedule.maximumDelay).uptime)
        }
    }

    @Test("Two thousand changes of an activity leave its advertisement unchanged")
    func manyUpdates() async throws {
        try await EngineWorld.runReady { world, _ in
            let id = try world.publish()
            let plan = world.engine.advertising.current
            for line in 0..<2000 {
                try world.engine.activities.update(id, to: .sample(line: Int64(line)), isEligible: true, by: ":1.1")
            }
            // A new slot may begin meanwhile, and seals the same advertisement under another key.
            #expect(world.engine.advertising.current.version <= plan.version + 1)
        }
    }

    @Test("A thousand changes of the current activity change the advertisement once, and the last is due soon")
    func manyCurrents() async throws {
        try await EngineWorld.runReady { world, _ in
            let two = try Activity.sample("two")
            let ids = [try world.publish("one"), try world.engine.activities.create(two, isEligible: true, by: ":1.1")]
            let plan = world.engine.advertising.current
            for round in 0..<1000 { try world.engine.activities.becomeCurrent(ids[(round + 1) % 2], by: ":1.1") }
            // The machine may be so slow that half a second passes in between.
            #expect(world.engine.advertising.current.version <= plan.version + 5)
            #expect(world.engine.deadline.current.value != nil)
        }
    }

    @Test("While sound goes over the adapter, only who looks makes it scan, and nothing begins anew")
    func sound() async throws {
        try await EngineWorld.runReady { world, _ in
            let generation = world.engine.radioGeneration.current.value
            world.engine.radio.radioChanged(to: .ready(RadioDescription(name: "test", isPlayingAudio: true)))
            #expect(world.effort == .none)
            #expect(world.scanning.reason == "sound")
            #expect(world.scanning.message.contains("Sound goes over this adapter"))
            world.engine.nearby.startLooking(for: ":1.1")
            #expect(world.effort == .continuous)
            #expect(world.scanning == ScanningDescription(effort: "continuous", interval: nil, reason: "", message: ""))
            world.engine.nearby.stopLooking(for: ":1.1")
            world.engine.radio.radioChanged(to: .ready(RadioDescription(name: "test")))
            #expect(world.effort == .windows(rest: .seconds(3)))
            #expect(world.engine.radioGeneration.current.value == generation)
        }
    }

    @Test("A session that nobody uses does not scan, and who comes back hears everything at once")
    func awaySession() async throws {
        try await EngineWorld.runReady { world, _ in
            world.engine.activities.setAway(true)
            #expect(world.effort == .none)
            #expect(world.scanning.reason == "away", "also without a current activity")
            world.engine.activities.setAway(false)
            #expect(world.effort == .continuous)
            #expect(world.engine.deadline.current.value != nil)
        }
    }

    @Test("A session that stays advertised while nobody uses it does not scan either")
    func staying() async throws {
        try await EngineWorld.runReady { world, _ in
            world.engine.activities.setStaysWhenAway(true)
            _ = try world.publish()
            world.engine.activities.setAway(true)
            #expect(world.effort == .none)
            #expect(!world.engine.read(\.origin.isWithheld))
            #expect(world.advertisement != nil)
            world.engine.activities.setStaysWhenAway(false)
            #expect(world.engine.read(\.origin.isWithheld))
            #expect(world.effort == .none)
            world.engine.activities.setStaysWhenAway(true)
            #expect(!world.engine.read(\.origin.isWithheld))
        }
    }

    @Test("A computer that wakes up hears everything at once, unless it is locked")
    func resumption() async throws {
        try await EngineWorld.runReady { world, _ in
            #expect(world.effort == .windows(rest: .seconds(3)))
            world.engine.nearby.arrived()
            #expect(world.effort == .continuous)
            world.engine.activities.setAway(true)
            world.engine.nearby.arrived()
            #expect(world.effort == .none)
        }
    }

    @Test("How much is scanned is told with what keeps it from more, in the order in which it counts")
    func scanningReasons() async throws {
        try await EngineWorld.run { world in
            #expect(world.scanning.reason == "radio")
            world.engine.radio.radioChanged(to: .ready(RadioDescription(name: "test")))
            #expect(world.scanning.reason == "no-devices")
            try await world.engine.trust.add(try Peer("laptop").device)
            #expect(world.scanning.effort == "continuous", "whoever has just paired wants to see something")
            world.restPairing()
            #expect(world.scanning.effort == "windows")
            #expect(world.scanning.interval == 4_000_000)
            #expect(world.scanning.reason == "")
            var rules = Rules()
            rules.pause(.untilResumed)
            world.engine.rules.set(rules)
            #expect(world.scanning.reason == "paused")
            #expect(!world.scanning.canLook)
        }
    }

    @Test("Scanning requires a radio and a device to hear")
    func scanning() async throws {
        try await EngineWorld.run { world in
            #expect(world.effort == .none)
            world.engine.nearby.startLooking(for: ":1.1")
            #expect(world.effort == .none)
            world.engine.radio.radioChanged(to: .ready(RadioDescription(name: "test")))
            #expect(world.effort == .none)
            try await world.engine.trust.add(try Peer("laptop").device)
            #expect(world.effort == .continuous)
            world.restPairing()
            world.engine.nearby.stopLooking(for: ":1.1")
            #expect(world.effort == .windows(rest: .seconds(3)))
            world.engine.radio.radioChanged(to: .unavailable(RadioError(.poweredOff, "off")))
            #expect(world.effort == .none)
        }
    }

    @Test("A radio that comes back is a reason to try again")
    func radioGeneration() async throws {
        try await EngineWorld.runReady { world, _ in
            let before = world.engine.scanning.current.value.radioGeneration
            world.engine.radio.radioChanged(to: .unavailable(RadioError(.poweredOff, "off")))
            world.engine.radio.radioChanged(to: .ready(RadioDescription(name: "test")))
            #expect(world.engine.scanning.current.value.radioGeneration == before + 1)
            #expect(world.engine.advertising.current.value.radioGeneration == before + 1)
        }
    }

    @Test("A new observer gets the state, and no effect from before")
    func observing() async throws {
        try await EngineWorld.run { world in
            world.engine.observe(by: nil)
            _ = try world.publish()
            let effects = RecordedEffects()
            var owners: Set<BusName> = []
            world.engine.observe(by: effects) { owners = $0.origin.owners }
            #expect(owners == [":1.1"])
            #expect(effects.all.isEmpty)
            _ = try world.publish("two")
            #expect(effects.all == ["added 2", "current 1 to 2"])
        }
    }
}
