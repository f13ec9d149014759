import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffWire
import TestLimits
import Testing

@Suite("A device's copy of its circle", .endsWithin(minutes: 10))
struct CircleTests {
    private let desk = DeviceKeys.generate()
    private let lap = DeviceKeys.generate()
    private let tab = DeviceKeys.generate()

    private func circle(of own: DeviceKeys, with others: DeviceKeys...) throws -> Circle {
        var circle = Circle()
        try circle.updateSelf(identity(own), key: own.advertisingKey, speaking: 1)
        for other in others { try circle.insert(identity(other), by: own.publicKey.device) }
        return circle
    }

    private func identity(_ keys: DeviceKeys, _ name: String = "device") throws -> DeviceIdentity {
        DeviceIdentity(publicKey: keys.publicKey, name: try DeviceName(name))
    }

    @Test("A removal overrides copies of the same generation, but not a later trust")
    func removal() throws {
        let id = lap.publicKey.device
        var one = try circle(of: desk, with: lap)
        let other = one
        try one.remove(id)
        try one.merge(other)
        #expect(one[id] == nil)
        try one.insert(identity(lap), by: desk.publicKey.device)
        try one.merge(other)
        #expect(one[id]?.generation == 1)
        #expect { try one.remove(tab.publicKey.device) } throws: { ($0 as? HandoffError)?.code == .unknownDevice }
    }

    @Test("The result of merging states depends on neither order nor repetition")
    func joining() throws {
        let (deskID, lapID) = (desk.publicKey.device, lap.publicKey.device)
        let base = try circle(of: desk, with: lap, tab)
        var variants = [base, base, base]
        try variants[0].rename(lapID, to: DeviceName("one"), by: deskID)
        try variants[1].rename(lapID, to: DeviceName("two"), by: lapID)
        try variants[1].renewKey(of: lapID, to: .generate())
        try variants[2].remove(tab.publicKey.device)
        let results = try [[0, 1, 2], [2, 1, 0], [1, 0, 2, 1, 1]].map { order in
            var result = variants[order[0]]
            for index in order { try result.merge(variants[index]) }
            return result
        }
        #expect(Set(results).count == 1)
        #expect(results[0][lapID]?.name.rawValue == (deskID > lapID ? "one" : "two"))
    }

    @Test("A circle has room for this device and 100 others, and a state with more is refused as a whole")
    func limit() throws {
        var full = try circle(of: desk)
        for _ in 0..<100 { try full.insert(identity(.generate()), by: nil) }
        #expect { try full.insert(identity(lap), by: nil) } throws: { ($0 as? HandoffError)?.code == .limitReached }
        let before = full
        let other = try circle(of: lap)
        #expect { try full.merge(other) } throws: { ($0 as? HandoffError)?.code == .limitReached }
        #expect(full == before)
        #expect(full.message.encode().count < CircleMessage.maximumBytes / 2)
    }

    @Test("Of more than 200 removals, the oldest are dropped")
    func removals() throws {
        var circle = try circle(of: desk)
        var ids: [DeviceID] = []
        for _ in 0..<203 {
            let keys = DeviceKeys.generate()
            try circle.insert(identity(keys), by: nil)
            try circle.remove(keys.publicKey.device)
            ids.append(keys.publicKey.device)
        }
        #expect(circle.removals.count == CircleLimits.removals)
        #expect(ids.filter { circle.removal(of: $0) == nil } == Array(ids.prefix(3)))
    }

    @Test("A state is the same after encoding and decoding")
    func message() throws {
        var circle = try circle(of: desk, with: lap, tab)
        try circle.remove(tab.publicKey.device)
        try circle.rename(lap.publicKey.device, to: DeviceName("Küche"), by: desk.publicKey.device)
        let read = try Circle(CircleMessage(decoding: circle.message.encode()))
        #expect(read == circle)
        #expect(read.digest == circle.digest)
        var twice = circle.message
        twice.members.append(twice.members[0])
        #expect { try Circle(twice) } throws: { ($0 as? HandoffError)?.code == .peerMisbehaved }
    }

    @Test("A name that cannot be shown cuts nobody off: it is passed on unchanged, and cleaned where it is shown")
    func hostileName() throws {
        let id = lap.publicKey.device
        var message = try circle(of: desk, with: lap).message
        let index = try #require(message.members.firstIndex { $0.publicKey == lap.publicKey.rawRepresentation })
        message.members[index].name = try StatedName("\u{202E}pot\u{7} 👩‍💻")
        message.members[index].nameVersion = 7
        var own = try circle(of: desk, with: lap)
        try own.merge(Circle(message))
        #expect(own.message == message)
        #expect(own.digest == (try Circle(message)).digest)
        #expect(own[id]?.name.rawValue == "pot 👩‍💻")
    }

    @Test("Of two spellings of one name under one version, the same bytes win on both sides")
    func spellings() throws {
        let id = lap.publicKey.device
        var one = try circle(of: desk, with: lap)
        var other = one
        try one.rename(id, to: DeviceName("K\u{FC}che"), by: id)
        try other.rename(id, to: DeviceName("Ku\u{308}che"), by: id)
        let before = one
        try one.merge(other)
        try other.merge(before)
        #expect(one.digest == other.digest)
    }

    @Test("A device whose own state is older than the others' copy publishes a newer one")
    func restored() throws {
        let id = desk.publicKey.device
        let old = try circle(of: desk, with: lap)
        var others = old
        try others.renewKey(of: id, to: .generate())
        var restored = old
        let fresh = AdvertisingKey.generate()
        #expect(try restored.merge(others, as: id, newKey: { fresh }) == .outdated)
        #expect(restored[id]?.advertisingKey == fresh)
        #expect(restored[id]?.advertisingKeyVersion == 2)
        // The latest state of the device counts for the others.
        try others.merge(restored)
        #expect(others[id]?.advertisingKey == fresh)
    }

    @Test("A device that was trusted again supplies its key and its protocol version itself")
    func corrected() throws {
        let id = desk.publicKey.device
        var own = try circle(of: desk, with: lap)
        try own.renewKey(of: id, to: desk.advertisingKey)
        var other = try circle(of: lap, with: desk)
        try other.remove(id)
        try other.insert(identity(desk), by: lap.publicKey.device)
        #expect(other[id]?.advertisingKey == nil)
        #expect(try own.merge(other, as: id, newKey: AdvertisingKey.generate) == .corrected)
        try other.merge(own)
        #expect(other[id]?.advertisingKey == desk.advertisingKey)
        #expect(other[id]?.advertisingKeyVersion == 1)
        #expect(other[id]?.protocolVersion == 1)
    }

    @Test("A key comes only with its owner's state: a key that was given by hand is not passed on")
    func givenKeys() throws {
        let id = desk.publicKey.device
        // The two trust each other again after the desk has removed the tablet, which the lap does not know yet.
        var own = try circle(of: desk, with: lap, tab)
        var other = try circle(of: lap, with: desk, tab)
        try own.remove(tab.publicKey.device, as: id, newKey: AdvertisingKey.generate)
        try other.insert(identity(desk), by: lap.publicKey.device)
        var third = try circle(of: tab, with: lap)
        try third.merge(other)
        #expect(third[id] != nil)
        #expect(third[id]?.advertisingKey == nil)
        // With the key comes the removal.
        try other.merge(own)
        #expect(other[id]?.advertisingKey == own[id]?.advertisingKey)
        #expect(other[tab.publicKey.device] == nil)
    }

    @Test("A device that learns of a removal gets another key, once for each removal")
    func rotation() throws {
        let id = lap.publicKey.device
        var one = try circle(of: desk, with: lap, tab)
        var two = try circle(of: lap, with: desk, tab)
        try one.remove(tab.publicKey.device, as: desk.publicKey.device, newKey: AdvertisingKey.generate)
        #expect(one[desk.publicKey.device]?.advertisingKeyVersion == 1)
        _ = try two.merge(one, as: id, newKey: AdvertisingKey.generate)
        _ = try two.merge(one, as: id, newKey: AdvertisingKey.generate)
        #expect(two[id]?.advertisingKeyVersion == 1)
        #expect(two[id]?.advertisingKey != lap.advertisingKey)
    }

    @Test("A device does not accept its own removal from a peer")
    func ownRemoval() throws {
        var own = try circle(of: desk, with: lap)
        var other = own
        try other.remove(desk.publicKey.device)
        let (before, theirs) = (own, other)
        #expect { _ = try own.merge(theirs, as: desk.publicKey.device, newKey: AdvertisingKey.generate) } throws: {
            ($0 as? HandoffError)?.code == .peerMisbehaved
        }
        #expect(own == before)
    }
}
