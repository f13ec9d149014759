import HandoffCore
import HandoffCrypto
import HandoffModel

/// A device, its copy of the circle, and its key, which changes with the devices that it trusts.
struct CircleMember {
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

    mutating func add(_ other: CircleMember) throws {
        let signer = signer
        try change { try $0.add(other.identity, sign: signer) }
    }

    mutating func remove(_ other: CircleMember) throws {
        let signer = signer
        try change { try $0.remove(other.identity.id, sign: signer) }
    }

    mutating func meet(_ other: inout CircleMember) {
        guard circle.trusts(other.identity.id), other.circle.trusts(identity.id) else { return }
        let (mine, theirs) = (circle.statements, other.circle.statements)
        change { $0.join(theirs) }
        other.change { $0.join(mine) }
        guard circle.trusts(other.identity.id), other.circle.trusts(identity.id) else { return }
        known.append(other.advertisingKey)
        other.known.append(advertisingKey)
    }
}
