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
    @Test("A removed device can read none of the following advertisements and opens no session")
    func removed() throws {
        var random = SeededRandom(seed: 22)
        var sender = PublishedSender(key: random.bytes(32))
        // A removed device keeps the key that all devices share.
        let model = try (0..<100).count { _ in try sender.advertise(random.bytes(10)).opened(with: sender.key) != nil }

        var (desk, phone, lost) = (try CircleMember("desk"), try CircleMember("phone"), try CircleMember("lost"))
        try desk.add(phone)
        try desk.add(lost)
        try phone.add(desk)
        try lost.add(desk)
        for _ in 0..<2 {
            desk.meet(&phone)
            desk.meet(&lost)
            phone.meet(&lost)
        }
        let known = lost.known
        #expect(known.contains(desk.advertisingKey) && known.contains(phone.advertisingKey))

        try desk.remove(lost)
        desk.meet(&phone)
        phone.meet(&lost)
        var opener = AdvertisementOpener(keys: known.enumerated().map { ($0, $1) })
        var here = 0
        for _ in 0..<50 {
            for key in [desk.advertisingKey, phone.advertisingKey] {
                let sealer = AdvertisementSealer(key: key, slot: someSlot)
                let sealed = sealer.seal(try AdvertisementPayload.random(using: &random).encode())
                if opener.open(sealed, slot: someSlot) != nil { here += 1 }
            }
        }
        let trial = try SessionTrial(phone.keys, devices: phone.circle.members.map(\.keys))
        let greeting = SessionGreeting.random()
        var call = NoiseHandshake.calling(phone.keys.publicKeys, as: lost.keys, after: greeting)
        #expect(throws: CryptoError.self) { try trial.match(try call.writeMessage([0]), greeting: greeting) }
        measured(
            .removedDevice,
            onModel: "reads \(model) of the next 100",
            here: "reads \(here) of the next 100, and opens no session"
        )
    }
}
