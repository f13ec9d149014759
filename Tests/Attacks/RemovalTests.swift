import HandoffAttackModel
import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffTestVectors
import HandoffWire
import TestLimits
import Testing

@Suite("A removed device has no access", .endsWithin(minutes: 10))
struct RemovalTests {
    /// A device and its copy of the circle.
    private struct Member {
        let keys = DeviceKeys.generate()
        var circle = Circle()

        var id: DeviceID { keys.publicKeys.device }
        /// The key with which it advertises now.
        var advertisingKey: AdvertisingKey? { circle[id]?.advertisingKey }

        init(_ name: String) throws {
            let identity = DeviceIdentity(publicKeys: keys.publicKeys, name: try DeviceName(name))
            try circle.updateSelf(identity, key: keys.advertisingKey, speaking: 1)
        }

        mutating func meet(_ other: inout Member) throws {
            let before = circle
            _ = try circle.merge(other.circle, as: id, newKey: AdvertisingKey.generate)
            _ = try other.circle.merge(before, as: other.id, newKey: AdvertisingKey.generate)
            // The changes that the first device made because of the merge.
            _ = try other.circle.merge(circle, as: other.id, newKey: AdvertisingKey.generate)
        }
    }

    @Test("A removed device can read none of the following advertisements and opens no session")
    func removed() throws {
        var random = SeededRandom(seed: 22)
        var sender = PublishedSender(key: random.bytes(32))
        // A removed device keeps the key that all devices share.
        let model = try (0..<100).count { _ in try sender.advertise(random.bytes(10)).opened(with: sender.key) != nil }

        var (desk, phone, lost) = (try Member("desk"), try Member("phone"), try Member("lost"))
        for id in [phone.keys, lost.keys] {
            try desk.circle.insert(DeviceIdentity(publicKeys: id.publicKeys, name: DeviceName("member")), by: desk.id)
        }
        try phone.circle.insert(
            DeviceIdentity(publicKeys: desk.keys.publicKeys, name: DeviceName("desk")),
            by: phone.id
        )
        try lost.circle.insert(DeviceIdentity(publicKeys: desk.keys.publicKeys, name: DeviceName("desk")), by: lost.id)
        try desk.meet(&phone)
        try desk.meet(&lost)
        try desk.meet(&phone)
        let known = lost.circle.members.compactMap(\.advertisingKey)
        #expect(known.count == 3, "the device had all three keys before its removal")

        try desk.circle.remove(lost.id, as: desk.id, newKey: AdvertisingKey.generate)
        try desk.meet(&phone)
        var opener = AdvertisementOpener(keys: known.enumerated().map { ($0, $1) })
        var here = 0
        for _ in 0..<50 {
            for key in [desk.advertisingKey, phone.advertisingKey] {
                let sealer = AdvertisementSealer(key: try #require(key), slot: someSlot)
                let sealed = sealer.seal(try AdvertisementPayload.random(using: &random).encode())
                if opener.open(sealed, slot: someSlot) != nil { here += 1 }
            }
        }
        let trial = try NoiseResponderTrial(
            localStatic: phone.keys.agreement,
            candidates: phone.circle.members.filter { $0.id != phone.id }.map { ($0.id, $0.publicKeys.agreement) }
        )
        var call = NoiseHandshake.initiator(
            localStatic: lost.keys.agreement,
            remoteStatic: phone.keys.publicKeys.agreement,
            prologue: []
        )
        #expect(throws: CryptoError.self) { try trial.match(try call.writeMessage([0]), prologue: []) }
        measured(
            .removedDevice,
            onModel: "reads \(model) of the next 100",
            here: "reads \(here) of the next 100, and opens no session"
        )
    }
}
