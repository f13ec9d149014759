import HandoffCore
import HandoffModel
import TestLimits
import Testing

@testable import HandoffDaemon

@Suite("The person is told of each change of the circle, and of many in few words", .endsWithin(minutes: 10))
struct CircleReportsTests {
    private var reports = CircleReports()
    private let source = DeviceID(number: 1)

    private static func devices(_ range: Range<Int>) throws -> [TrustedDevices.Device] {
        try range.map { number in
            let device = try Peer("device \(number)").device
            return TrustedDevices.Device(
                id: device.id,
                name: device.name,
                publicKeys: device.publicKeys,
                introducedBy: nil
            )
        }
    }

    private mutating func told(_ changes: TrustedDevices.Changes, at seconds: Int = 0) -> [String] {
        reports.reports(of: changes, by: source, named: "desk", at: .seconds(seconds)).map(\.summary)
    }

    @Test("A few devices are told one by one")
    mutating func few() throws {
        var changes = TrustedDevices.Changes()
        changes.added = try Self.devices(0..<2)
        changes.removed = try Self.devices(2..<3)
        #expect(
            told(changes) == [
                "device 0 joined your devices", "device 1 joined your devices",
                "device 2 was removed from your devices",
            ]
        )
    }

    @Test("Many devices of one change are told together")
    mutating func many() throws {
        var changes = TrustedDevices.Changes()
        changes.added = try Self.devices(0..<48)
        changes.removed = try Self.devices(50..<54)
        #expect(
            told(changes) == [
                "device 0, device 1, device 2 and 45 more joined your devices",
                "device 50, device 51, device 52 and 1 more were removed from your devices",
            ]
        )
    }

    @Test("A device that reports one change after the other is told of eight times an hour, and once more")
    mutating func often() throws {
        var all: [String] = []
        for (number, device) in try Self.devices(0..<40).enumerated() {
            var changes = TrustedDevices.Changes()
            changes.added = [device]
            all += told(changes, at: number)
        }
        #expect(all.count == CircleReports.maximumReports + 1)
        #expect(all.last == "desk reports many changes of your devices")
        var changes = TrustedDevices.Changes()
        changes.added = try Self.devices(40..<41)
        #expect(told(changes, at: 3599).isEmpty)
        let others = reports.reports(of: changes, by: DeviceID(number: 2), named: "other", at: .seconds(3599))
        #expect(others.count == 1)
        #expect(told(changes, at: 3600).count == 1)
    }
}
