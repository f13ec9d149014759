import HandoffCore
import HandoffCrypto
import HandoffModel
import TestLimits
import Testing

@Suite("The limits of a circle stop who exceeds them, and nobody else", .endsWithin(minutes: 10))
struct CircleLimitTests {
    static let limits = CircleLimits(knownDevices: 8, broughtDevices: 3, additions: 4, removals: 3, names: 2)
    let own: FakeDevice
    let friend: FakeDevice
    let liar: FakeDevice
    let circle: Circle

    init() throws {
        own = try FakeDevice(1)
        friend = try FakeDevice(2)
        liar = try FakeDevice(3)
        var circle = Circle(of: own.keys, limits: Self.limits)
        try circle.add(friend.identity, sign: own.sign)
        circle.hear(friend.adds(own), friend.adds(liar), liar.adds(friend))
        self.circle = circle
    }

    @Test("A device brings a limited number of others, also through those that it brought")
    func broughtDevices() throws {
        var circle = circle
        let brought = try (10..<20).map { try FakeDevice($0) }
        circle.hear([liar.adds(brought[0]), brought[0].adds(brought[1]), brought[1].adds(brought[2])])
        circle.hear(zip(brought.dropFirst(2), brought.dropFirst(3)).map { $0.adds($1) })
        // The liar counts among those whom its own introducer has brought.
        #expect(circle.trustedIDs.count == 4)
    }

    @Test("Whatever others have filled, a removal by a trusted device is taken in")
    func removalGetsThrough() throws {
        var circle = circle
        let brought = try (10..<20).map { try FakeDevice($0) }
        circle.hear(
            brought.map(liar.adds) + brought.map(liar.removes) + brought.flatMap { one in brought.map(one.removes) }
        )
        circle.hear(friend.removes(liar))
        #expect(circle[liar.id]?.standing == .removed(by: [friend.id]))
        #expect(circle.trustedIDs == [friend.id])
    }

    @Test("Removals beyond an author's quota are not taken in, and the earlier ones stay")
    func removalQuota() throws {
        var circle = circle
        circle = Circle(of: own.keys, limits: Self.limits)
        let devices = try (10..<14).map { try FakeDevice($0) }
        for device in devices { try circle.add(device.identity, sign: own.sign) }
        circle.hear(devices.dropFirst().map(devices[0].removes))
        #expect(circle.removals(by: devices[0].id).count == 3)
        circle.hear(devices[0].removes(own))
        #expect(circle.statements.count { $0.statement.place.kind == .remove } == 3)
    }

    @Test("Removals of unknown devices are not taken in")
    func unknownSubject() throws {
        var circle = circle
        circle.hear(liar.removes(try FakeDevice(77)))
        #expect(!circle.statements.contains { $0.statement.place.kind == .remove })
    }

    @Test("Names beyond an author's quota are not taken in, but a later name of the same device is")
    func nameQuota() {
        var circle = circle
        circle.hear(
            liar.names(own, "a", version: 1),
            liar.names(friend, "b", version: 1),
            liar.names(liar, "c", version: 1)
        )
        #expect(circle.statements.count { $0.statement.place.kind == .name } == 2)
        circle.hear(
            liar.names(own, "d", version: 2),
            liar.names(friend, "d", version: 2),
            liar.names(liar, "d", version: 2)
        )
        #expect(circle.statements.count { $0.statement.place.kind == .name } == 2)
    }

    @Test("The device's own statements beyond its quota are refused with what to do")
    func ownQuota() throws {
        var circle = circle
        for number in UInt8(20)..<23 { try circle.add(FakeDevice(number).identity, sign: own.sign) }
        let error = #expect(throws: HandoffError.self) { try circle.add(FakeDevice(40).identity, sign: own.sign) }
        #expect(error?.code == .limitReached)
        #expect(error?.message.contains("handoffctl devices leave") == true)
    }

    @Test("The largest circle fits the standard limit of statements")
    func size() {
        #expect(CircleLimits.standard.statements == 129 * 72)
    }
}
