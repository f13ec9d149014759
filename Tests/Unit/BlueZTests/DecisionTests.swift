import Bluetooth
import DBus
import TestLimits
import Testing

@testable import BlueZ

@Suite("The decision whether discovery runs", .endsWithin(minutes: 10))
struct DiscoveryArbiterTests {
    @Test("Discovery runs while it has a listener and nothing has paused it")
    func wishes() {
        var arbiter = DiscoveryArbiter()
        #expect(arbiter.nextStep == nil)
        arbiter.join(1)
        #expect(arbiter.nextStep == .start)
        arbiter.didStart()
        #expect(arbiter.nextStep == nil)
        arbiter.pause()
        arbiter.pause()
        #expect(arbiter.nextStep == .stop)
        arbiter.didStop(at: .now)
        arbiter.resume()
        #expect(arbiter.nextStep == nil)
        arbiter.resume()
        #expect(arbiter.nextStep == .start)
        arbiter.leave(1)
        #expect(arbiter.nextStep == nil)
    }

    @Test(
        "Another program keeps discovery on if it is on three times in a row before ours begins, some time after ours"
    )
    func others() {
        var arbiter = DiscoveryArbiter(settling: .seconds(1))
        let start = ContinuousClock.now
        func seen(_ isDiscovering: Bool, after seconds: Int) -> Bool? {
            arbiter.willStart(isDiscovering: isDiscovering, at: start + .seconds(seconds))
        }
        #expect([seen(true, after: 0), seen(true, after: 4), seen(true, after: 8)] == [false, false, true])
        arbiter.didStop(at: start + .milliseconds(11_500))
        #expect(seen(true, after: 12) == nil)
        #expect([seen(true, after: 13), seen(false, after: 16), seen(true, after: 20)] == [true, false, false])
    }

    @Test("While ours is off, another program keeps discovery on if it stays on; a look of its own is none")
    func othersAlone() {
        var arbiter = DiscoveryArbiter(settling: .seconds(1), persistence: .seconds(12))
        let start = ContinuousClock.now
        func seen(_ isDiscovering: Bool, after seconds: Int) -> (verdict: Bool?, again: Int?) {
            let (verdict, again) = arbiter.observeOthers(
                isDiscovering: isDiscovering,
                at: start + .seconds(seconds)
            )
            return (verdict, again.map { Int((start.duration(to: $0)) / .seconds(1)) })
        }
        #expect(seen(false, after: 0) == (false, nil))
        #expect(seen(true, after: 1) == (nil, 13))
        #expect(seen(true, after: 12) == (nil, 13))
        #expect(seen(false, after: 12) == (false, nil), "it has looked for a device")
        #expect(seen(true, after: 14) == (nil, 26))
        #expect(seen(true, after: 26) == (true, nil))
        #expect(arbiter.willStart(isDiscovering: true, at: start + .seconds(27)) == true, "the verdict holds")
        arbiter.join(1)
        #expect(seen(true, after: 27) == (nil, nil), "ours begins")
        arbiter.didStart()
        #expect(seen(true, after: 60) == (nil, nil), "ours may be the only one")
        arbiter.leave(1)
        arbiter.didStop(at: start + .seconds(60))
        #expect(seen(true, after: 60) == (nil, 61), "it may be ours that ends")
        #expect(seen(true, after: 61) == (nil, 73))
        #expect(seen(false, after: 62) == (false, nil))
    }

    @Test("A failure is reported to every listener, and discovery is not retried by itself")
    func failure() {
        var arbiter = DiscoveryArbiter()
        arbiter.join(1)
        arbiter.join(2)
        let notified = arbiter.didFail()
        #expect(notified == [1, 2])
        #expect(arbiter.nextStep == nil)
    }

    @Test("Discovery has ended only if it was started here and was seen running before")
    func ending() {
        var arbiter = DiscoveryArbiter()
        let beforeOurs = arbiter.observe(isDiscovering: false)
        arbiter.join(1)
        arbiter.didStart()
        let notYet = arbiter.observe(isDiscovering: false)
        let on = arbiter.observe(isDiscovering: true)
        let off = arbiter.observe(isDiscovering: false)
        #expect([beforeOurs, notYet, on, off] == [false, false, false, true])
    }
}

@Suite("Long reads of a GATT attribute", .endsWithin(minutes: 10))
struct LongReadsTests {
    private func request(_ offset: UInt16, device: ObjectPath = "/dev") -> GATTRequest {
        let options: [String: Value] =
            ["device": .objectPath(device), "mtu": .uint16(23)].merging(offset == 0 ? [:] : ["offset": .uint16(offset)])
        {
            $1
        }
        return GATTRequest(options: options.value)
    }

    @Test("The rest of a long read comes from the value with which the read began")
    func snapshot() throws {
        var reads = LongReads()
        let first = try reads.read(request(0)) { _ throws(GATTRefusal) in [1, 2, 3] }
        let rest = try reads.read(request(1)) { _ throws(GATTRefusal) in [7, 8, 9] }
        let other = try reads.read(request(1, device: "/other")) { _ throws(GATTRefusal) in [7, 8, 9] }
        let restarted = try reads.read(request(0)) { _ throws(GATTRefusal) in [7, 8, 9] }
        #expect([first, rest, other, restarted] == [[1, 2, 3], [2, 3], [8, 9], [7, 8, 9]])
    }

    @Test("An offset at the end of the value returns nothing, and one beyond it is refused")
    func offsets() throws {
        var reads = LongReads()
        let end = try reads.read(request(3)) { _ throws(GATTRefusal) in [1, 2, 3] }
        #expect(end.isEmpty)
        #expect(throws: GATTRefusal.invalidOffset) {
            try reads.read(request(4)) { _ throws(GATTRefusal) in [1, 2, 3] }
        }
    }

    @Test("A value that is too long for an attribute is refused")
    func tooLong() {
        var reads = LongReads()
        #expect(throws: GATTRefusal.failed) {
            try reads.read(request(0)) { _ throws(GATTRefusal) in Array(repeating: 0, count: 513) }
        }
    }
}

@Suite("Object paths of devices", .endsWithin(minutes: 10))
struct DevicePathTests {
    @Test("An address gives its object path element")
    func pathElement() throws {
        let address = try #require(BluetoothAddress(description: "aa:bb:cc:dd:ee:ff/random"))
        #expect(address.pathElement == "dev_AA_BB_CC_DD_EE_FF")
    }
}

@Suite("Errors of bluetoothd", .endsWithin(minutes: 10))
struct ErrorMappingTests {
    @Test(
        "Each D-Bus error has a code and a message with a hint",
        arguments: [
            (
                "org.freedesktop.DBus.Error.ServiceUnknown", BlueZError.Operation.readObjects, "serviceAbsent",
                "systemctl"
            ),
            ("org.freedesktop.DBus.Error.NameHasNoOwner", .readObjects, "serviceAbsent", "systemctl"),
            ("org.freedesktop.DBus.Error.NoReply", .startDiscovery, "serviceRestarted", "again"),
            ("org.freedesktop.DBus.Error.AccessDenied", .readObjects, "accessDenied", "bluetooth.conf"),
            ("org.freedesktop.DBus.Error.UnknownObject", .connectDevice, "deviceAbsent", "scan"),
            ("org.freedesktop.DBus.Error.UnknownObject", .readAttribute, "attributeAbsent", "connect again"),
            ("org.freedesktop.DBus.Error.UnknownMethod", .registerAdvertisement, "adapterAbsent", "adapter"),
            ("org.bluez.Error.NotReady", .startDiscovery, "poweredOff", "power on"),
            ("org.bluez.Error.InProgress", .startDiscovery, "busy", "again"),
            ("org.bluez.Error.AlreadyExists", .registerApplication, "busy", "again"),
            ("org.bluez.Error.NotConnected", .readAttribute, "notConnected", "connect again"),
            ("org.bluez.Error.NotPermitted", .readAttribute, "attributeRefused", "what happened"),
            ("org.bluez.Error.NeverHeardOf", .connectDevice, "connectFailed", "NeverHeardOf"),
            ("com.example.Error", .registerApplication, "applicationRefused", "com.example.Error"),
        ]
    )
    func mapping(name: String, operation: BlueZError.Operation, code: String, hint: String) throws {
        let error = BlueZError(.failure(try ErrorName(name), "what happened"), during: operation)
        #expect(error.code.description == code)
        #expect(error.message.contains(hint))
    }

    @Test(
        "Each error of the connection to the bus has a code of its own",
        arguments: [
            (DBusError.Code.disconnected, "busLost"), (.timedOut, "timedOut"), (.cancelled, "cancelled"),
            (.unexpectedReply, "unexpectedReply"), (.limit, "failed"),
        ]
    )
    func connection(code: DBusError.Code, expected: String) {
        #expect(BlueZError(DBusError(code, "x"), during: .readObjects).code.description == expected)
    }
}
