import HandoffAttackModel
import HandoffCore
import HandoffCrypto
import HandoffModel
import TestLimits
import Testing

/// The model has devices by their numbers: three of the user, the lying one, and made-up ones.
@Suite("A trusted device that lies cannot stay, come back, or hold a removal up", .endsWithin(minutes: 10))
struct LyingMemberTests {
    private static let lost = 3
    private static let madeUp = 1000

    /// The model's devices: each of the user's three trusts all of them and the lying one.
    private let model = [CountedCircle](repeating: CountedCircle(0..<4), count: 3)

    @Test("The user removes it on any device, whatever it has said there")
    func preventedRemoval() throws {
        var lie = CountedCircle(0..<4)
        lie.states[Self.madeUp] = .removed(generation: 0, number: CountedCircle.maximumNumber)
        let onModel = try model.count { circle in
            var circle = circle
            try circle.merge(lie)
            try? circle.remove(Self.lost)
            return !circle.trusts(Self.lost)
        }

        var attacked = try AttackedCircle(accomplices: 60)
        let others = attacked.members.map(\.identity.id) + attacked.liar.accomplices.map(\.identity.id)
        let lies = try attacked.liar.additions + attacked.liar.removals(of: others) + attacked.liar.names(of: others)
        for member in AttackedCircle.honest { attacked.tell(member, lies) }
        let here = try AttackedCircle.honest.count { member in
            #expect(attacked.members[member].circle.known.count > 30, "the lies were taken in")
            try attacked.removeLiar(on: member)
            return attacked.members[member].circle.members.allSatisfy { !attacked.isOfLiar($0.id) }
        }
        measured(.preventedRemoval, onModel: "\(onModel) of 3 devices can remove it", here: "\(here) of 3")
    }

    @Test("Nothing that it says to a device that has not heard of its removal makes it trusted again")
    func returnAfterRemoval() throws {
        var (phone, desk) = (model[0], model[1])
        try phone.remove(Self.lost)
        var lie = CountedCircle(0..<4)
        var member = CountedCircle.Member()
        member.generation = 1
        lie.states[Self.lost] = .member(member)
        try desk.merge(lie)
        try phone.merge(desk)
        let onModel = [phone, desk].count { $0.trusts(Self.lost) }

        var attacked = try AttackedCircle(accomplices: 8)
        try attacked.removeLiar(on: 0)
        attacked.tell(1, attacked.liar.additions)
        #expect(attacked.members[1].circle.trusts(attacked.liar.id))
        attacked.meet(0, 1)
        attacked.tell(1, attacked.liar.additions)
        let here = [0, 1].count { member in
            attacked.members[member].circle.members.contains { attacked.isOfLiar($0.id) }
        }
        measured(.returnAfterRemoval, onModel: "\(onModel) of 2 devices trust it again", here: "\(here) of 2")
    }

    @Test("Made-up devices, as many as it likes on each side, do not keep its removal from the other devices")
    func blockedRemoval() throws {
        var circles = model
        for (number, first) in [(0, 0), (1, 100), (2, 200)] {
            var lie = CountedCircle(0..<4)
            for device in 0..<95 { lie.states[Self.madeUp + first + device] = .member(.init()) }
            try circles[number].merge(lie)
        }
        try circles[0].remove(Self.lost)
        for other in [1, 2] { try? circles[other].merge(circles[0]) }
        let onModel = circles.dropFirst().count { !$0.trusts(Self.lost) }

        var attacked = try AttackedCircle(accomplices: 90)
        for member in AttackedCircle.honest {
            // Others on each device, so that the three together are beyond every limit.
            let brought = Set(attacked.liar.accomplices.dropFirst(member * 30).prefix(48).map(\.identity.id))
            attacked.tell(member, attacked.liar.additions.filter { brought.contains($0.statement.subject) })
        }
        try attacked.removeLiar(on: 0)
        for other in [1, 2] { attacked.meet(0, other) }
        let trusting = attacked.members.dropFirst().count { $0.circle.trusts(attacked.liar.id) }
        #expect(trusting == 0)
        measured(
            .blockedRemoval,
            onModel: "\(onModel) of 2 other devices learn of it",
            here: "\(attacked.informedCount) of 2"
        )
    }

    @Test("Removals by the thousand do not push its own removal out")
    func displacedRemoval() throws {
        var (phone, desk) = (model[0], model[1])
        try phone.remove(Self.lost)
        var lie = CountedCircle(0..<4)
        for device in 0..<CountedCircle.maximumRemovals {
            lie.states[Self.madeUp + device] = .removed(generation: 0, number: 1000 + UInt32(device))
        }
        try desk.merge(lie)
        for _ in 0..<2 {
            try phone.merge(desk)
            try desk.merge(phone)
        }
        let onModel = [phone, desk].count { $0.trusts(Self.lost) }

        var attacked = try AttackedCircle(accomplices: 40)
        try attacked.removeLiar(on: 0)
        let accomplices = attacked.liar.accomplices.map(\.identity.id)
        let removals = try attacked.liar.additions + attacked.liar.removals(of: accomplices)
        attacked.tell(1, removals)
        for _ in 0..<2 { attacked.meet(0, 1) }
        let here = [0, 1].count { attacked.members[$0].circle.trusts(attacked.liar.id) }
        #expect(attacked.informedCount == 1)
        measured(.displacedRemoval, onModel: "\(onModel) of 2 devices forget it", here: "\(here) of 2")
    }

    @Test("A device that never belonged cannot be banned")
    func ban() throws {
        var circle = model[0]
        var lie = CountedCircle(0..<4)
        for device in 0..<8 {
            lie.states[Self.madeUp + device] = .removed(generation: CountedCircle.maximumNumber, number: 1)
        }
        try circle.merge(lie)
        let onModel = (0..<8).count { (try? circle.add(Self.madeUp + $0)) != nil }

        var attacked = try AttackedCircle()
        let new = try (0..<8).map { try CircleMember("new \($0)") }
        attacked.tell(0, try attacked.liar.removals(of: new.map(\.identity.id)))
        for device in new { try attacked.members[0].add(device) }
        let here = new.count { attacked.members[0].circle.trusts($0.identity.id) }
        measured(.ban, onModel: "\(onModel) of 8 can be added afterwards", here: "\(here) of 8")
    }

    @Test("A name with the highest version stays until the device that gave it is removed")
    func fixedName() throws {
        var circle = model[0]
        var lie = CountedCircle(0..<4)
        var member = CountedCircle.Member()
        (member.name, member.nameVersion) = ("zzz", CountedCircle.maximumNumber)
        lie.states[1] = .member(member)
        try circle.merge(lie)
        circle.rename(1, to: "Kitchen")
        try circle.remove(Self.lost)
        circle.rename(1, to: "Kitchen")
        let onModel = circle[1]?.name == "zzz" ? "stays for good" : "goes"

        var attacked = try AttackedCircle()
        let (desk, signer) = (attacked.members[1].identity.id, attacked.members[0].signer)
        attacked.tell(0, attacked.liar.names(of: [desk]))
        // The highest version is used up: no name that is given now would count.
        #expect(throws: HandoffError.self) {
            try attacked.members[0].circle.rename(desk, to: DeviceName("Kitchen"), sign: signer)
        }
        #expect(attacked.members[0].circle.name(of: desk).rawValue == "zzz")
        try attacked.removeLiar(on: 0)
        try attacked.members[0].circle.rename(desk, to: DeviceName("Kitchen"), sign: signer)
        let isGone = attacked.members[0].circle.name(of: desk).rawValue == "Kitchen"
        measured(
            .fixedName,
            onModel: onModel,
            here: isGone ? "stays until the attacker is removed" : "stays for good"
        )
    }

    @Test("A device that it has removed is heard again once the user has removed it on the other devices, too")
    func removedRemover() throws {
        var circles = model
        try circles[0].remove(Self.lost)
        for other in [1, 2] {
            var lie = CountedCircle(0..<4)
            lie.states[0] = .removed(generation: 0, number: 1)
            try circles[other].merge(lie)
            // A device that was removed is not talked to.
            if circles[other].trusts(0) { try circles[other].merge(circles[0]) }
        }
        let onModel = circles.dropFirst().count { !$0.trusts(Self.lost) }

        var attacked = try AttackedCircle()
        try attacked.removeLiar(on: 0)
        let phone = attacked.members[0].identity.id
        for other in [1, 2] { attacked.tell(other, try attacked.liar.removals(of: [phone])) }
        for other in [1, 2] { attacked.meet(0, other) }
        let before = attacked.informedCount
        for other in [1, 2] {
            try attacked.removeLiar(on: other)
            // Nobody who is trusted has removed the phone any more: the user is asked.
            #expect(attacked.members[other].circle[phone]?.standing == .disputed(by: [attacked.liar.id]))
            let signer = attacked.members[other].signer
            try attacked.members[other].circle.keep(phone, sign: signer)
            attacked.meet(0, other)
        }
        measured(
            .removedRemover,
            onModel: "\(onModel) of 2 other devices learn of the removal",
            here: "\(before) of 2 until the user removes the attacker there too, then \(attacked.informedCount) of 2"
        )
    }
}

extension AttackedCircle {
    /// Whether a device is the lying one, or one of its making.
    func isOfLiar(_ id: DeviceID) -> Bool { id == liar.id || liar.accomplices.contains { $0.identity.id == id } }
}
