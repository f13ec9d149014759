import HandoffCore
import HandoffCrypto
import HandoffModel

/// A trusted device that lies: with devices of its own making it says whatever serves it, under valid signatures.
struct LyingMember {
    let device: CircleMember
    /// Devices that exist nowhere else; the attacker has their keys.
    let accomplices: [CircleMember]

    init(accomplices count: Int) throws {
        device = try CircleMember("lost")
        accomplices = try (0..<count).map { try CircleMember("accomplice \($0)") }
    }

    var id: DeviceID { device.identity.id }

    /// It brings its accomplices, which trust it, and each other in a chain; it also trusts itself.
    var additions: [SignedStatement] {
        [add(by: device, device)] + accomplices.flatMap { [add(by: device, $0), add(by: $0, device)] }
            + zip(accomplices, accomplices.dropFirst()).map { add(by: $0, $1) }
    }

    /// Removals by it: of these devices, and of 200 that exist nowhere.
    func removals(of devices: [DeviceID]) throws -> [SignedStatement] {
        let nobody = try (0..<200).map { try DeviceID(bytes: [UInt8($0)] + [UInt8](repeating: 0xEE, count: 7)) }
        return (devices + nobody).map { device.signer(.remove(author: id, $0)) }
    }

    /// Names of these devices, with the highest version that a name can have.
    func names(of devices: [DeviceID]) -> [SignedStatement] {
        devices.map { device.signer(.name(author: id, $0, version: .max, "zzz")) }
    }

    private func add(by author: CircleMember, _ other: CircleMember) -> SignedStatement {
        author.signer(.add(author: author.identity.id, other.keys.publicKeys, name: other.name.rawValue))
    }
}

/// Three devices of a user, and a lying one, which all trust each other.
struct AttackedCircle {
    static let honest = 0..<3

    var members: [CircleMember]
    let liar: LyingMember

    init(accomplices: Int = 0) throws {
        members = try ["phone", "desk", "tablet"].map { try CircleMember($0) }
        liar = try LyingMember(accomplices: accomplices)
        for one in Self.honest {
            for other in Self.honest where other != one { try members[one].add(members[other]) }
            try members[one].add(liar.device)
        }
    }

    /// The liar tells a device that trusts it these statements.
    mutating func tell(_ member: Int, _ statements: [SignedStatement]) {
        guard members[member].circle.trusts(liar.id) else { return }
        members[member].change { $0.join(statements) }
    }

    /// The user removes the liar on one device.
    mutating func removeLiar(on member: Int) throws { try members[member].remove(liar.device) }

    /// Two of the user's devices exchange what they know, if they trust each other.
    mutating func meet(_ one: Int, _ other: Int) {
        var (first, second) = (members[one], members[other])
        first.meet(&second)
        (members[one], members[other]) = (first, second)
    }

    /// How many of the other devices have learnt that the first one has removed the liar.
    var informedCount: Int {
        Self.honest.dropFirst().count { member in
            members[member].circle.statements.contains {
                $0.statement == .remove(author: members[0].identity.id, liar.id)
            }
        }
    }
}
