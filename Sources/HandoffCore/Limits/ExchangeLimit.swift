package import HandoffModel

/// How often each device may exchange circles with this one: each exchange may write a file, and tell the person something.
package struct ExchangeLimit: Sendable {
    /// How many exchanges a device may begin in ``interval``: many more than the calls of an honest one (`UpdateThrottle`),
    /// also if it is started again and again.
    package static let maximum = 32
    /// The time in which there is a limited number: that of a slot.
    package static let interval = Duration.seconds(900)

    private struct Begun {
        let start: Duration
        var count = 0
    }

    private var begun: [DeviceID: Begun] = [:]

    /// Creates a limit that no device has used.
    package init() {}

    /// Counts an exchange that a device begins; returns false when it has begun too many.
    package mutating func admit(_ device: DeviceID, at uptime: Duration) -> Bool {
        begun = begun.filter { uptime - $0.value.start < Self.interval }
        var exchanges = begun[device] ?? Begun(start: uptime)
        guard exchanges.count < Self.maximum else { return false }
        exchanges.count += 1
        begun[device] = exchanges
        return true
    }
}
