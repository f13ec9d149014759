import DBus
import HandoffBus
import HandoffClient
import TestLimits
import Testing

@Suite("What a daemon has told", .endsWithin(minutes: 5))
struct DaemonMirrorTests {
    private static let device = HandoffName.device("00000000000000bb")
    private static let nearby = HandoffName.nearbyActivity(1)

    private static let activity: [String: Value] = [
        "Device": .objectPath(device), "DeviceName": .string("desk"), "Type": .string("org.example.edit"),
        "RSSI": .int16(-50),
    ]

    private static func mirror(_ contents: DaemonMirror.Contents) -> DaemonMirror {
        DaemonMirror(
            contents,
            objects: BusObjectModel.value([
                nearby: [HandoffName.nearbyActivityInterface.description: activity],
                device: [HandoffName.deviceInterface.description: ["Name": .string("desk")]],
                HandoffName.activities.appending("1"): [
                    HandoffName.activityInterface.description: ["Current": .boolean(true)]
                ],
            ])
        )
    }

    private static func changed(_ interface: InterfaceName, at path: ObjectPath, _ changes: [String: Value]) -> Signal {
        BusObjectModel.changed(interface.description, at: path, changes)
    }

    @Test(
        "After every order of signals a mirror is what reading the daemon then would give",
        arguments: 0..<64 as Range<UInt64>
    )
    func folding(_ seed: UInt64) {
        var model = BusObjectModel(seed: seed)
        var mirror = model.mirror
        for _ in 0..<100 {
            let signal = model.change()
            mirror.apply(signal)
            guard mirror == model.mirror else {
                Issue.record("\(signal) has made \(mirror) of \(model.mirror)")
                return
            }
        }
    }

    @Test("How near an activity is changes nothing for who did not ask for it")
    func distances() {
        for (contents, changes) in [(DaemonMirror.Contents.nearby, false), ([.nearby, .distances], true)] {
            var mirror = Self.mirror(contents)
            let before = mirror
            mirror.apply(Self.changed(HandoffName.nearbyActivityInterface, at: Self.nearby, ["RSSI": .int16(-80)]))
            #expect((mirror != before) == changes)
            #expect(mirror.objects.nearby.first?.rssi == (changes ? -80 : nil))
        }
    }

    @Test("A new name of a device is also that of the device of an activity, of which no signal tells it")
    func names() {
        var mirror = Self.mirror(.nearby)
        mirror.apply(Self.changed(HandoffName.deviceInterface, at: Self.device, ["Name": .string("book")]))
        #expect(mirror.objects.nearby.map(\.deviceName) == ["book"])
        #expect(mirror.devices.map(\.name) == ["book"])
    }

    @Test("What was not asked for is not kept")
    func contents() {
        #expect(Self.mirror(.nearby).objects.activities.isEmpty)
        #expect(Self.mirror(.activities).objects.nearby.isEmpty)
        var mirror = Self.mirror(.activities)
        let before = mirror
        mirror.apply(Self.changed(HandoffName.rulesInterface, at: HandoffName.root, ["Paused": .boolean(true)]))
        #expect(mirror == before && !mirror.rules.isPaused)
    }

    @Test("The daemon's own properties follow its signals")
    func own() {
        var mirror = DaemonMirror(
            [.status, .rules, .unconfirmed],
            properties: [
                HandoffName.managerInterface: ["DeviceName": .string("desk")], HandoffName.rulesInterface: [:],
                HandoffName.pairingInterface: [:],
            ]
        )
        let unconfirmed = [UnconfirmedDevice(id: "00000000000000cc", name: "phone")]
        let changes: [(InterfaceName, [String: Value])] = [
            (HandoffName.managerInterface, ["DeviceName": .string("book")]),
            (HandoffName.rulesInterface, ["Paused": .boolean(true)]),
            (HandoffName.pairingInterface, ["Unconfirmed": .unconfirmed(unconfirmed)]),
        ]
        for (interface, values) in changes { mirror.apply(Self.changed(interface, at: HandoffName.root, values)) }
        #expect(mirror.status.deviceName == "book" && mirror.rules.isPaused && mirror.unconfirmed == unconfirmed)
    }
}

/// The objects of a daemon that changes at random, and the signals that tell it.
private struct BusObjectModel {
    private static let interfaces = [
        HandoffName.nearbyActivityInterface.description, HandoffName.deviceInterface.description,
        HandoffName.activityInterface.description,
    ]

    private var objects: [ObjectPath: [String: [String: Value]]] = [:]
    private var random: UInt64

    init(seed: UInt64) { random = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1 }

    /// What reading the daemon gives.
    var mirror: DaemonMirror { DaemonMirror([.nearby, .distances, .activities], objects: Self.value(objects)) }

    /// Changes an object; returns the signal of it.
    mutating func change() -> Signal {
        let (number, interface) = (next(5), Self.interfaces[next(3)])
        let path: ObjectPath =
            switch interface {
            case HandoffName.deviceInterface.description: HandoffName.device("000000000000000\(number)")
            case HandoffName.activityInterface.description: HandoffName.activities.appending("\(number)")
            default: HandoffName.nearbyActivity(UInt64(number))
            }
        let values: [String: Value] = ["Name": .string("\(next(4))"), "RSSI": .int16(Int16(next(4)) - 50)]
        guard objects[path] != nil else {
            objects[path] = [interface: values]
            return Self.list("InterfacesAdded", [.objectPath(path), [interface: values].value])
        }
        guard next(3) > 0 else {
            objects[path] = nil
            return Self.list("InterfacesRemoved", [.objectPath(path), [interface].value])
        }
        let name = next(2) == 0 ? "Name" : "RSSI"
        let changes = values.filter { $0.key == name }
        objects[path]?[interface]?.merge(changes) { $1 }
        return Self.changed(interface, at: path, changes)
    }

    /// A number below `limit` (xorshift64).
    private mutating func next(_ limit: Int) -> Int {
        random ^= random << 13
        random ^= random >> 7
        random ^= random << 17
        return Int(random % UInt64(limit))
    }

    /// The reply of `GetManagedObjects`.
    static func value(_ objects: [ObjectPath: [String: [String: Value]]]) -> Value {
        let interfaces = ValueType.dictionary(key: .string, value: [String: Value].valueType)
        let entries = objects.map { DictionaryEntry(key: .objectPath($0.key), value: $0.value.value) }
        return .dictionary(key: .objectPath, value: interfaces, entries)
    }

    static func changed(_ interface: String, at path: ObjectPath, _ changes: [String: Value]) -> Signal {
        let properties: InterfaceName = "org.freedesktop.DBus.Properties"
        let arguments: [Value] = [.string(interface), changes.value, [String]().value]
        return Signal(path: path, interface: properties, member: "PropertiesChanged", arguments: arguments)
    }

    private static func list(_ member: MemberName, _ arguments: [Value]) -> Signal {
        let interface: InterfaceName = "org.freedesktop.DBus.ObjectManager"
        return Signal(path: HandoffName.root, interface: interface, member: member, arguments: arguments)
    }
}
