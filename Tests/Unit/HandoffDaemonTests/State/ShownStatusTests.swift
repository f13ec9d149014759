import DBus
import HandoffBus
import TestLimits
import Testing

@testable import HandoffDaemon

@Suite("A change signal of the daemon has what differs from what was shown last", .endsWithin(minutes: 1))
struct ShownStatusTests {
    @Test("What was told is not told again")
    func changes() {
        let shown = ShownStatus()
        var status = DaemonStatus()
        status.deviceName = "desk"
        shown.set(status, current: "/org/handoffd/activity/1")
        let renamed = shown.changes { present in
            #expect(present.currentActivity == "/org/handoffd/activity/1")
            var next = present
            next.deviceName = "table"
            return next
        }
        #expect(renamed == ["DeviceName": .string("table")])
        #expect(shown.changes { $0 }.isEmpty)
        let ended = shown.changes { present in
            var next = present
            next.currentActivity = .root
            return next
        }
        #expect(ended == ["CurrentActivity": .objectPath(.root)])
    }
}
