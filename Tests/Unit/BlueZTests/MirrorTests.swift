import Bluetooth
import DBus
import TestLimits
import Testing

@testable import BlueZ

private let path: ObjectPath = "/org/bluez/hci0"
private let properties: [String: Value] = [
    "Address": .string("00:AA:01:00:00:00"), "AddressType": .string("public"), "Powered": .boolean(true),
]

@Suite("The mirror of adapters", .endsWithin(minutes: 10))
struct AdapterMirrorTests {
    private func mirror(_ adapter: [String: Value] = properties, _ more: InterfaceProperties = [:]) -> AdapterMirror {
        var mirror = AdapterMirror()
        mirror.replace(with: [path: more.merging([Names.adapter: adapter]) { $1 }])
        return mirror
    }

    @Test(
        "An adapter that is blocked is distinguished from one that is switched off",
        arguments: [
            ([:], Adapter.Power.on), (["Powered": .boolean(false)], .off),
            (["Powered": .boolean(false), "PowerState": .string("off-blocked")], .blocked),
            (["PowerState": .string("on")], .on), (["Powered": .string("nonsense")], .off),
        ] as [([String: Value], Adapter.Power)]
    )
    func power(more: [String: Value], expected: Adapter.Power) {
        let snapshot = mirror(properties.merging(more) { $1 }).snapshot
        #expect(snapshot.adapters.map(\.power) == [expected])
    }

    @Test(
        "The properties of an adapter show the release of BlueZ",
        arguments: [
            ([], BlueZRelease(5, 66)), (["Version"], BlueZRelease(5, 71)),
            (["Version", "Connectable"], BlueZRelease(5, 79)),
        ] as [([String], BlueZRelease)]
    )
    func release(names: [String], expected: BlueZRelease) {
        let more = Dictionary(uniqueKeysWithValues: names.map { ($0, Value.byte(9)) })
        let snapshot = mirror(properties.merging(more) { $1 }).snapshot
        #expect(snapshot.adapters.map(\.release) == [expected])
    }

    @Test("An adapter honours the advertising interval if it has SupportedFeatures", arguments: [true, false])
    func interval(isHeeded: Bool) {
        let features: [String: Value] = isHeeded ? ["SupportedFeatures": [String]().value] : [:]
        let snapshot = mirror(properties, [Names.advertising: features]).snapshot
        #expect(snapshot.adapters.first?.advertising?.honorsInterval == isHeeded)
    }

    @Test("InterfacesAdded for an object that was already read changes nothing")
    func lateAnnouncement() {
        var mirror = mirror()
        let before = mirror.snapshot
        let isIncomplete = mirror.apply(.added(path, [Names.adapter: properties]))
        #expect(isIncomplete)
        #expect(mirror.snapshot == before)
    }

    @Test("Signals of a bluetoothd that is not followed yet are ignored: its objects are read later")
    func announcementBeforeOwner() {
        var mirror = AdapterMirror()
        mirror.follow(":1.7")
        mirror.replace(with: [path: [Names.adapter: properties]])
        let before = mirror.snapshot
        let isIncomplete = mirror.apply(.removed(path, interfaces: [Names.adapter]), from: ":1.9")
        #expect(!isIncomplete)
        #expect(mirror.snapshot == before)
        _ = mirror.apply(.removed(path, interfaces: [Names.adapter]), from: ":1.7")
        #expect(mirror.snapshot.adapters.isEmpty)
    }

    @Test("An adapter without a valid address is left out", arguments: ["", "00:AA", "00:AA:01:00:00:0G"])
    func invalidAddress(text: String) {
        #expect(mirror(properties.merging(["Address": .string(text)]) { $1 }).snapshot.adapters.isEmpty)
    }

    @Test("The number of adapters in the mirror is limited")
    func bound() {
        var mirror = AdapterMirror()
        for number in 0..<100 {
            let path: ObjectPath = "/org/bluez"
            _ = mirror.apply(.added(path.appending("hci\(number)"), [Names.adapter: properties]))
        }
        #expect(mirror.snapshot.adapters.count == AdapterMirror.maximumAdapters)
        #expect(mirror.snapshot.adapters.map(\.name).last == "hci15")
    }

    @Test("Sound goes over the adapter whose transport plays or is about to, until it is idle or gone")
    func sound() {
        let transport = path.appending("dev_C0_00_00_00_00_01").appending("fd0")
        func state(_ state: String) -> [String: Value] { ["State": .string(state), "Volume": .uint16(3)] }
        var mirror = mirror()
        _ = mirror.apply(.added("/org/bluez/hci1", [Names.adapter: properties]))
        _ = mirror.apply(.added(transport, [Names.mediaTransport: state("idle")]))
        #expect(mirror.snapshot.adapters.map(\.isPlayingAudio) == [false, false])
        for (now, isPlaying) in [("pending", true), ("active", true), ("idle", false), ("active", true)] {
            _ = mirror.apply(
                .changed(transport, interface: Names.mediaTransport, values: state(now), invalidated: [])
            )
            #expect(mirror.snapshot.adapters.map(\.isPlayingAudio) == [isPlaying, false])
        }
        _ = mirror.apply(
            .changed(transport, interface: Names.mediaTransport, values: ["Volume": .uint16(4)], invalidated: [])
        )
        #expect(mirror.snapshot.adapters.map(\.isPlayingAudio) == [true, false])
        _ = mirror.apply(.removed(transport, interfaces: [Names.mediaTransport]))
        #expect(mirror.snapshot.adapters.map(\.isPlayingAudio) == [false, false])
    }

    @Test("Sound that was there before the objects are read is known, and forgotten with bluetoothd")
    func soundAtStart() {
        let transport = path.appending("dev_C0_00_00_00_00_01").appending("fd0")
        var mirror = AdapterMirror()
        mirror.replace(
            with: [path: [Names.adapter: properties], transport: [Names.mediaTransport: ["State": .string("active")]]]
        )
        #expect(mirror.snapshot.adapters.map(\.isPlayingAudio) == [true])
        mirror.clear(.absent)
        mirror.replace(with: [path: [Names.adapter: properties]])
        #expect(mirror.snapshot.adapters.map(\.isPlayingAudio) == [false])
    }

    @Test("The number of transports in the mirror is limited")
    func soundBound() {
        var transports = SoundTransports()
        for number in 0..<1000 {
            transports.update(path.appending("fd\(number)"), ["State": .string("active")])
        }
        for number in 0..<SoundTransports.maximum { transports.remove(path.appending("fd\(number)")) }
        #expect(!transports.isPlaying(over: path))
    }

    @Test("Changes of unknown objects and of other interfaces are ignored")
    func strangers() {
        var mirror = mirror()
        let before = mirror.snapshot
        _ = mirror.apply(.changed("/org/bluez/hci9", interface: Names.adapter, values: properties, invalidated: []))
        _ = mirror.apply(.changed(path, interface: "org.bluez.Media1", values: properties, invalidated: []))
        _ = mirror.apply(.removed(path, interfaces: ["org.bluez.Media1"]))
        #expect(mirror.snapshot == before)
    }
}

@Suite("The mirror of devices", .endsWithin(minutes: 10))
struct DeviceMirrorTests {
    private let a = BluetoothUUID(number: 0xA)
    private let b = BluetoothUUID(number: 0xB)
    private let device = path.appending("dev_C0_00_00_00_00_01")

    private func seen(_ more: [String: Value] = [:]) -> InterfaceProperties {
        let properties: [String: Value] = [
            "Address": .string("C0:00:00:00:00:01"), "AddressType": .string("random"), "RSSI": .int16(-40),
        ]
        return [Names.device: properties.merging(more) { $1 }]
    }

    private func data(_ entries: [BluetoothUUID: [UInt8]]) -> [String: Value] {
        let entries = entries.map { uuid, bytes in (uuid.description, Value.bytes(bytes)) }
        return ["ServiceData": Dictionary(uniqueKeysWithValues: entries).value]
    }

    private func change(_ values: [String: Value], invalidated: [String] = []) -> ObjectChange {
        .changed(device, interface: Names.device, values: values, invalidated: invalidated)
    }

    @Test("Service data that is left from an earlier packet is not reported with the new data")
    func staleEntries() {
        var mirror = DeviceMirror(adapter: path)
        _ = mirror.apply(.added(device, seen(data([a: [1]]))))
        let report = mirror.apply(change(data([a: [1], b: [2]])))
        #expect(report?.serviceData == [b: [2]])
        let again = mirror.apply(change(data([a: [1], b: [2]])))
        #expect(again?.serviceData == [a: [1], b: [2]])
    }

    @Test("A device that is known but not heard now is not reported")
    func notHeard() {
        var mirror = DeviceMirror(adapter: path)
        var properties = seen(data([a: [1]]))
        properties[Names.device]?["RSSI"] = nil
        let known = mirror.replace(with: [device: properties])
        #expect(known.isEmpty)
        let end = mirror.apply(change([:], invalidated: ["RSSI"]))
        #expect(end == nil)
        let heard = mirror.apply(change(["RSSI": .int16(127)]))
        #expect(heard?.serviceData == [a: [1]])
        #expect(heard?.rssi == nil)
    }

    @Test("A packet of a device that is not known needs the objects, once")
    func objects() {
        var mirror = DeviceMirror(adapter: path)
        #expect(mirror.needsObjects(for: change(["RSSI": .int16(-40)])))
        #expect(mirror.needsObjects(for: change(data([a: [1]]))))
        #expect(!mirror.needsObjects(for: change(["Connected": .boolean(true)])))
        #expect(!mirror.needsObjects(for: change([:], invalidated: ["RSSI"])))
        let elsewhere = DeviceMirror(adapter: "/org/bluez/hci1")
        #expect(!elsewhere.needsObjects(for: change(["RSSI": .int16(-40)])))
        _ = mirror.replace(with: [:])
        #expect(!mirror.needsObjects(for: change(["RSSI": .int16(-40)])))
    }

    @Test("Of the devices that were known before, only the one whose packet has come is reported")
    func addedKnown() {
        var mirror = DeviceMirror(adapter: path)
        let other = path.appending("dev_C0_00_00_00_00_02")
        let packet = change(["RSSI": .int16(-41)])
        #expect(mirror.apply(packet) == nil)
        mirror.add(known: [device: seen(data([a: [1]])), other: seen(data([b: [2]]))])
        #expect(mirror.count == 2)
        let report = mirror.apply(packet)
        #expect(report?.path == device)
        #expect(report?.serviceData == [a: [1]])
        #expect(report?.rssi == -41)
    }

    @Test("A packet of a device that the mirror knows does not need the objects")
    func known() {
        var mirror = DeviceMirror(adapter: path)
        _ = mirror.apply(.added(device, seen()))
        #expect(!mirror.needsObjects(for: change(["RSSI": .int16(-41)])))
    }

    @Test("Devices of other adapters, and objects that are not devices, are ignored")
    func strangers() {
        var mirror = DeviceMirror(adapter: "/org/bluez/hci1")
        #expect(mirror.apply(.added(device, seen())) == nil)
        #expect(mirror.apply(.added("/org/bluez/hci1/dev_X", [Names.device: ["Address": .byte(1)]])) == nil)
        #expect(mirror.apply(.added("/org/bluez/hci1/player0", ["org.bluez.MediaPlayer1": [:]])) == nil)
        #expect(mirror.count == 0)
    }

    @Test("The number of devices in the mirror is limited, and each device beyond it is reported")
    func bound() {
        var mirror = DeviceMirror(adapter: path)
        var reports = 0
        for number in 0..<DeviceMirror.maximumDevices + 10 {
            reports += mirror.apply(.added(path.appending("dev_\(number)"), seen(data([a: [1]])))) == nil ? 0 : 1
        }
        #expect(mirror.count == DeviceMirror.maximumDevices - DeviceMirror.displacedDevices + 10)
        #expect(reports == DeviceMirror.maximumDevices + 10)
    }

    @Test("A flood of addresses displaces devices that are not heard, and none that is")
    func flood() {
        var mirror = DeviceMirror(adapter: path)
        _ = mirror.apply(.added(device, seen(data([a: [1]]))))
        for number in 0..<DeviceMirror.maximumDevices * 3 {
            _ = mirror.apply(.added(path.appending("dev_\(number)"), seen(data([a: [1]]))))
            guard number.isMultiple(of: 1000) else { continue }
            #expect(mirror.apply(change(data([a: [UInt8(number / 1000)]]))) != nil)
        }
        let new = path.appending("dev_new")
        _ = mirror.apply(.added(new, seen(data([b: [1]]))))
        let update = ObjectChange.changed(new, interface: Names.device, values: data([b: [2]]), invalidated: [])
        #expect(mirror.apply(update)?.serviceData == [b: [2]], "a device that appears during the flood is followed")
    }

    @Test("Devices without service data are displaced first")
    func displacement() {
        var mirror = DeviceMirror(adapter: path)
        _ = mirror.apply(.added(device, seen(data([a: [1]]))))
        for number in 0..<DeviceMirror.maximumDevices * 3 {
            _ = mirror.apply(.added(path.appending("dev_\(number)"), seen()))
        }
        #expect(mirror.apply(change(data([a: [2]]))) != nil)
    }

    @Test("Service data entries that are too many or too long are left out")
    func hugeData() {
        var mirror = DeviceMirror(adapter: path)
        let many = Dictionary(uniqueKeysWithValues: (0..<100).map { (BluetoothUUID(number: $0), [UInt8(1)]) })
        let report = mirror.apply(.added(device, seen(data(many))))
        #expect(report?.serviceData.count == DeviceMirror.maximumEntries)
        let long = mirror.apply(change(data([a: Array(repeating: 0, count: 256)])))
        #expect(long == nil)
    }
}
