import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffTestVectors
import TestLimits
import Testing

@Suite("A device trusts whom its statements say", .endsWithin(minutes: 10))
struct CircleTests {
    let laptop: FakeDevice
    let desktop: FakeDevice
    let phone: FakeDevice
    let tablet: FakeDevice
    /// The laptop's circle, in which it has added the desktop, and the desktop has added the phone.
    let circle: Circle

    init() throws {
        laptop = try FakeDevice(1, named: "laptop")
        desktop = try FakeDevice(2, named: "desktop")
        phone = try FakeDevice(3, named: "phone")
        tablet = try FakeDevice(4, named: "tablet")
        var circle = Circle(of: laptop.keys)
        try circle.add(desktop.identity, sign: laptop.sign)
        circle.hear(desktop.adds(laptop), desktop.adds(phone), phone.adds(desktop))
        self.circle = circle
    }

    @Test("A device trusts whom it has added, and whom they have added")
    func introduction() {
        #expect(circle.trustedIDs == [desktop.id, phone.id])
        #expect(circle[phone.id]?.introducedBy == desktop.id)
        #expect(circle[desktop.id]?.introducedBy == laptop.id)
        #expect(circle[phone.id]?.name.rawValue == "phone")
    }

    @Test("A statement counts only when its author is known, and whichever of the two arrives first")
    func unknownAuthor() throws {
        var circle = circle
        let stranger = try FakeDevice(9)
        circle.hear(stranger.adds(tablet), stranger.removes(desktop))
        #expect(circle.trustedIDs == [desktop.id, phone.id])
        var other = Circle(of: laptop.keys)
        try other.add(desktop.identity, sign: laptop.sign)
        other.hear(phone.adds(tablet), desktop.adds(phone))
        #expect(other.trustedIDs == [desktop.id, phone.id, tablet.id])
    }

    @Test("A statement with a wrong signature is dropped by itself")
    func wrongSignature() {
        var circle = circle
        let forged = SignedStatement(desktop.removes(phone).statement, signature: phone.id.bytes)
        circle.hear([forged, phone.adds(tablet)])
        #expect(circle.trustedIDs == [desktop.id, phone.id, tablet.id])
    }

    @Test("A removed device is not trusted, and neither an addition nor another way brings it back")
    func removal() throws {
        var circle = circle
        circle.hear(desktop.removes(phone))
        #expect(circle.trustedIDs == [desktop.id])
        #expect(circle[phone.id]?.standing == .removed(by: [desktop.id]))
        circle.hear(laptop.adds(phone), desktop.adds(tablet), tablet.adds(phone))
        #expect(circle[phone.id]?.standing == .removed(by: [desktop.id]))
        #expect(throws: HandoffError.self) { try circle.add(phone.identity, sign: laptop.sign) }
    }

    @Test("What a removed device has brought, and nobody else, goes with it, and is put to the person")
    func orphans() throws {
        var circle = circle
        circle.hear(phone.adds(tablet))
        #expect(circle.orphans(without: desktop.id) == [phone.id, tablet.id].sorted())
        #expect(circle.orphans(without: phone.id) == [tablet.id])
        try circle.remove(desktop.id, sign: laptop.sign)
        #expect(circle.trustedIDs == [])
        #expect(circle[phone.id]?.standing == .orphaned(broughtBy: [desktop.id]))
        try circle.keep(phone.id, sign: laptop.sign)
        #expect(circle.trustedIDs == [phone.id, tablet.id])
    }

    @Test("Of two devices that removed each other a third trusts neither until its person has chosen")
    func mutualRemoval() throws {
        var circle = circle
        circle.hear(phone.removes(desktop), desktop.removes(phone))
        #expect(circle.trustedIDs == [])
        #expect(circle[phone.id]?.standing == .disputed(by: [desktop.id]))
        #expect(circle[desktop.id]?.standing == .disputed(by: [phone.id]))
        try circle.keep(desktop.id, sign: laptop.sign)
        #expect(circle.trustedIDs == [desktop.id])
        #expect(circle[phone.id]?.standing == .removed(by: [desktop.id]))
    }

    @Test("The word of a device that is not trusted removes nobody, and is put to the person")
    func removalByRemoved() throws {
        var circle = circle
        circle.hear(desktop.adds(tablet))
        try circle.remove(phone.id, sign: laptop.sign)
        circle.hear(phone.removes(tablet))
        #expect(circle[tablet.id]?.standing == .disputed(by: [phone.id]))
        #expect(circle.removals(by: phone.id) == [tablet.id])
        try circle.keep(tablet.id, sign: laptop.sign)
        #expect(circle.trustedIDs == [desktop.id, tablet.id])
    }

    @Test("A device that removes the remover of its accomplice does not bring the accomplice back")
    func accomplice() {
        var circle = circle
        circle.hear(desktop.adds(tablet), phone.removes(tablet))
        circle.hear(desktop.removes(phone))
        #expect(circle[tablet.id]?.standing == .disputed(by: [phone.id]))
        #expect(circle.trustedIDs == [desktop.id])
    }

    @Test("What the person decides here is not undone by others, until the person decides again")
    func keep() throws {
        var circle = circle
        circle.hear(desktop.removes(phone))
        try circle.keep(phone.id, sign: laptop.sign)
        #expect(circle.trustedIDs == [desktop.id, phone.id])
        try circle.remove(phone.id, sign: laptop.sign)
        #expect(circle.trustedIDs == [desktop.id])
        try circle.keep(phone.id, sign: laptop.sign)
        #expect(circle.trustedIDs == [desktop.id, phone.id])
        circle.hear(desktop.adds(tablet), tablet.removes(phone))
        #expect(circle[phone.id]?.standing == .removed(by: [tablet.id]))
    }

    @Test("Removals of the device itself do not count for it")
    func ownRemoval() {
        var circle = circle
        circle.hear(desktop.removes(laptop))
        #expect(circle.trustedIDs == [desktop.id, phone.id])
        #expect(circle.statements.contains(desktop.removes(laptop)))
    }

    @Test("The name with the highest version counts, and names by devices that are not trusted do not")
    func names() throws {
        var circle = circle
        circle.hear(phone.names(phone, "old phone", version: 0), desktop.names(phone, "my phone", version: 4))
        #expect(circle[phone.id]?.name.rawValue == "my phone")
        try circle.rename(phone.id, to: DeviceName("pocket"), sign: laptop.sign)
        #expect(circle[phone.id]?.name.rawValue == "pocket")
        circle.hear(desktop.names(phone, "poisoned", version: .max))
        #expect(circle[phone.id]?.name.rawValue == "poisoned")
        try circle.keep(phone.id, sign: laptop.sign)
        try circle.remove(desktop.id, sign: laptop.sign)
        #expect(circle[phone.id]?.name.rawValue == "pocket")
    }

    @Test("Adding a member under another name renames it")
    func addingAgain() throws {
        var circle = circle
        try circle.add(DeviceIdentity(publicKeys: phone.keys, name: DeviceName("pocket")), sign: laptop.sign)
        #expect(circle[phone.id]?.name.rawValue == "pocket")
        #expect(circle[phone.id]?.introducedBy == laptop.id)
    }

    @Test("Unknown devices can be neither removed, kept nor renamed")
    func unknown() throws {
        var circle = circle
        let stranger = try FakeDevice(9)
        #expect(throws: HandoffError.self) { try circle.remove(stranger.id, sign: laptop.sign) }
        #expect(throws: HandoffError.self) { try circle.keep(stranger.id, sign: laptop.sign) }
        #expect(throws: HandoffError.self) {
            try circle.rename(stranger.id, to: DeviceName("x"), sign: laptop.sign)
        }
    }

    @Test("A circle that is restored from its statements and decisions concludes the same")
    func restored() throws {
        var circle = circle
        circle.hear(desktop.removes(phone))
        try circle.keep(phone.id, sign: laptop.sign)
        #expect(Circle(of: laptop.keys, circle.statements, overruled: circle.overruled) == circle)
    }

    @Test("Joining gives the same result in any order, any grouping and any repetition", arguments: 0..<40)
    func joinIsUnion(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let devices = try (1...5).map { try FakeDevice($0) }
        var all = (1..<5).map { devices[0].adds(devices[$0]) }
        for _ in 0..<12 {
            let (one, other) = (devices.randomElement(using: &random)!, devices.randomElement(using: &random)!)
            switch Int.random(in: 0..<3, using: &random) {
            case 0:
                all.append(one.sign(.add(author: one.id, other.keys, name: "\(Int.random(in: 0..<3, using: &random))")))
            case 1: all.append(one.removes(other))
            default:
                all.append(
                    one.names(
                        other,
                        "\(Int.random(in: 0..<3, using: &random))",
                        version: .random(in: 0..<3, using: &random)
                    )
                )
            }
        }
        var whole = Circle(of: devices[0].keys)
        whole.hear(all)
        var parts = Circle(of: devices[0].keys)
        for statement in (all + all).shuffled(using: &random) { parts.hear(statement) }
        // What was not judgeable when it arrived comes again with the next message.
        parts.hear(all.shuffled(using: &random))
        #expect(parts == whole)
        #expect(parts.digest == whole.digest)
    }
}
