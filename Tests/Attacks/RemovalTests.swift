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
    /// A device, its copy of the circle, and its key, which changes with the devices that it trusts.
    private struct Member {
        let keys = DeviceKeys.generate()
        let name: DeviceName
        var circle: Circle
        var advertisingKey = AdvertisingKey.generate()
        /// The keys that others have told it.
        var known: [AdvertisingKey] = []

        var identity: DeviceIdentity { DeviceIdentity(publicKeys: keys.publicKeys, name: name) }
        var signer: Circle.Signer {
            let key = keys.signing
            return { SignedStatement($0, signedBy: key) }
        }

        init(_ name: String) throws {
            self.name = try DeviceName(name)
            circle = Circle(of: keys.publicKeys)
        }

        mutating func change(_ body: (inout Circle) throws -> Void) rethrows {
            let before = Set(circle.members.map(\.id))
            try body(&circle)
            if Set(circle.members.map(\.id)) != before { advertisingKey = .generate() }
        }

        mutating func add(_ other: Member) throws {
            let signer = signer
            try change { try $0.add(other.identity, sign: signer) }
        }

        mutating func remove(_ other: Member) throws {
            let signer = signer
            try change { try $0.remove(other.identity.id, sign: signer) }
        }

        mutating func meet(_ other: inout Member) {
            guard circle.trusts(other.identity.id), other.circle.trusts(identity.id) else { return }
            let (mine, theirs) = (circle.statements, other.circle.statements)
            change { $0.join(theirs) }
            other.change { $0.join(mine) }
            guard circle.trusts(other.identity.id), other.circle.trusts(identity.id) else { return }
            known.append(other.advertisingKey)
            other.known.append(advertisingKey)
        }
    }

    @Test("A removed device can read none of the following advertisements and opens no session")
    func removed() throws {
        var random = SeededRandom(seed: 22)
        var sender = PublishedSender(key: random.bytes(32))
        // A removed device keeps the key that all devices share.
        let model = try (0..<100).count { _ in try sender.advertise(random.bytes(10)).opened(with: sender.key) != nil }

        var (desk, phone, lost) = (try Member("desk"), try Member("phone"), try Member("lost"))
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
        let trial = try NoiseResponderTrial(
            localStatic: phone.keys.agreement,
            candidates: phone.circle.members.map { ($0.id, $0.keys.agreement) }
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
