import DBus
import HandoffBus
import HandoffModel
import TestLimits
import Testing

@Suite("The daemon's objects as a program reads them", .endsWithin(minutes: 10))
struct HandoffObjectsTests {
    private static func objects(_ objects: [(ObjectPath, InterfaceName, [String: Value])]) -> HandoffObjects {
        let interfaces = ValueType.dictionary(key: .string, value: .dictionary(key: .string, value: .variant))
        let entries = objects.map { path, interface, properties in
            DictionaryEntry(key: .objectPath(path), value: [interface.description: properties].value)
        }
        return HandoffObjects(managedObjects: .dictionary(key: .objectPath, value: interfaces, entries))
    }

    private static func nearby(_ id: UInt64, rssi: Int16?) -> (ObjectPath, InterfaceName, [String: Value]) {
        let properties: [String: Value] = rssi.map { ["RSSI": .int16($0)] } ?? [:]
        return (HandoffName.nearbyActivity(id), HandoffName.nearbyActivityInterface, properties)
    }

    @Test("Every property of a nearby activity is read")
    func nearby() throws {
        let path = HandoffName.nearbyActivity(7)
        let activity = try #require(
            Self.objects([
                (
                    path, HandoffName.nearbyActivityInterface,
                    [
                        "Device": .objectPath(HandoffName.device("0123456789abcdef")), "DeviceName": .string("desk"),
                        "Type": .string("org.example.a"), "TypeHash": .string("00112233aa"),
                        "HasWebpage": .boolean(true), "RSSI": .int16(-40), "FirstSeen": .uint64(1),
                        "LastSeen": .uint64(2),
                    ]
                )
            ]).nearby.first
        )
        #expect(activity.path == path)
        #expect(activity.id == 7)
        #expect(activity.deviceID == "0123456789abcdef")
        #expect([activity.deviceName, activity.type, activity.typeHash] == ["desk", "org.example.a", "00112233aa"])
        #expect(activity.hasWebpage)
        #expect(activity.rssi == -40)
        #expect([activity.firstSeen, activity.lastSeen] == [1, 2])
    }

    @Test("The nearest activity comes first, one of unknown distance last, and the older of two equal ones first")
    func nearest() {
        let objects = Self.objects([
            Self.nearby(1, rssi: 127), Self.nearby(2, rssi: -60), Self.nearby(3, rssi: -40), Self.nearby(4, rssi: -60),
            Self.nearby(5, rssi: nil),
        ])
        #expect(objects.nearby.map(\.id) == [3, 2, 4, 1, 5])
        #expect(objects.nearby.map(\.rssi) == [-40, -60, -60, nil, nil])
    }

    @Test("Activities of this device are sorted oldest first, the tenth after the ninth")
    func oldest() {
        let objects = Self.objects(
            [10, 9, 100, 1].map { (HandoffName.activity($0), HandoffName.activityInterface, [:]) }
        )
        #expect(objects.activities.map(\.path.lastElement) == ["1", "9", "10", "100"])
    }

    @Test("Devices are sorted by name")
    func devices() {
        let objects = Self.objects([
            (HandoffName.device("b"), HandoffName.deviceInterface, ["ID": .string("b"), "Name": .string("desk")]),
            (
                HandoffName.device("c"), HandoffName.deviceInterface,
                ["ID": .string("c"), "Name": .string("bench"), "LastSeen": .uint64(9)]
            ),
            (HandoffName.device("a"), HandoffName.deviceInterface, ["Name": .string("desk")]),
        ])
        #expect(objects.devices.map(\.id) == ["c", "a", "b"])
        #expect(objects.devices.map(\.lastSeen) == [9, 0, 0])
    }

    @Test(
        "The malformed parts of the input are left out, and nothing else",
        arguments: [
            .string("nothing"), .array(of: .byte, []), ["/a": "b"].value, ["a": ["b": ["c": Value.byte(1)]]].value,
            .dictionary(key: .objectPath, value: .byte, [DictionaryEntry(key: .objectPath("/a"), value: .byte(1))]),
        ] as [Value]
    )
    func odd(_ value: Value) {
        let objects = HandoffObjects(managedObjects: value)
        #expect(objects.nearby.isEmpty && objects.devices.isEmpty && objects.activities.isEmpty)
    }

    @Test("Properties of other types than the declared ones count as absent")
    func wrongTypes() throws {
        let wrong: [String: Value] = [
            "Device": .string("/x"), "DeviceName": .byte(1), "Type": .byte(1), "TypeHash": .byte(1),
            "HasWebpage": .string("yes"), "RSSI": .uint32(5), "FirstSeen": .string(""), "LastSeen": .double(1),
        ]
        let interface = HandoffName.nearbyActivityInterface
        let odd = HandoffName.root.appending("Nearby").appending("seven")
        let activity = try #require(Self.objects([(odd, interface, wrong)]).nearby.first)
        #expect(activity.id == 0)
        #expect(activity.device == .root)
        #expect(activity.rssi == nil)
        #expect(!activity.hasWebpage)
        #expect([activity.deviceName, activity.type, activity.typeHash] == ["", "", ""])
        #expect([activity.firstSeen, activity.lastSeen] == [0, 0])
    }

    @Test("Unknown interfaces are ignored")
    func unknownInterface() {
        let objects = Self.objects([
            (HandoffName.activity(1), "org.handoffd.Activity9", ["Type": .string("org.example.a")]),
            (HandoffName.root, HandoffName.managerInterface, ["Version": .string("1")]),
        ])
        #expect(objects.nearby.isEmpty && objects.devices.isEmpty && objects.activities.isEmpty)
    }
}
