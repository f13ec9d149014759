import DBus
import TestLimits
import Testing

@testable import HandoffBus

@Suite("What an object tells by its properties is a value", .endsWithin(minutes: 1))
struct DescribedObjectTests {
    private static let example: DaemonStatus = {
        var status = DaemonStatus()
        status.version = "1.2.3"
        status.protocolVersion = 2
        status.deviceID = "0123456789abcdef"
        status.deviceName = "desk"
        status.radioState = "ready"
        status.radioMessage = "hci0"
        status.advisories = [("clock-unset", "The clock is wrong.")]
        status.questions = [
            DeviceQuestion(id: "fedcba9876543210", name: "phone", reason: .disputed, others: ["laptop"])
        ]
        status.currentActivity = "/org/handoffd/activity/1"
        return status
    }()

    @Test("A client reads what the daemon tells, of each property")
    func roundTrip() {
        let told = DaemonStatus.properties.reduce(into: [String: Value]()) { values, property in
            values[property.declaration.name.description] = property.value(Self.example)
        }
        let read = DaemonStatus(told)
        for property in DaemonStatus.properties {
            #expect(property.value(read) == property.value(Self.example), "\(property.declaration.name)")
        }
    }

    @Test("A signal has the properties that differ, and none that is constant")
    func changes() {
        #expect(Self.example.changes(since: Self.example).isEmpty)
        var renamed = Self.example
        renamed.deviceName = "table"
        renamed.version = "1.2.4"
        #expect(renamed.changes(since: Self.example) == ["DeviceName": .string("table")])
    }

    @Test("A property that is absent or of another type stays as it was")
    func foreign() {
        let status = DaemonStatus(["DeviceName": .uint32(1), "DeviceID": .string("0123456789abcdef")])
        #expect((status.deviceName, status.deviceID) == ("", "0123456789abcdef"))
    }
}
