package import HandoffModel

/// Detects that a trusted device is nearby but not recognized because its clock, or the one here, is far off.
///
/// Advertisements of such a device cannot be told from those of an unknown device. From time to time one of those is
/// checked against the keys of other slots; the result is only reported to the user, since an advertisement can be
/// recorded and replayed later.
package struct ClockSkewDetector: Sendable {
    /// The shortest time between two checks: each takes milliseconds.
    package static let interval = Duration.seconds(20)
    /// How long a finding is reported without being found again.
    package static let lifetime = Duration.seconds(600)

    private var lastCheck: Duration?
    private var checks = 0
    private var found: [DeviceID: (slots: Int, at: Duration)] = [:]

    package init() {}

    /// Returns the number of the check that is due, from 0, and counts it as done; nil when none is due.
    ///
    /// A check tries a part of the keys, by its number.
    package mutating func beginCheck(at uptime: Duration) -> Int? {
        if let lastCheck, uptime - lastCheck < Self.interval { return nil }
        lastCheck = uptime
        defer { checks += 1 }
        return checks
    }

    /// Records the number of slots by which a device's clock is ahead of this one; returns whether that is new.
    package mutating func recordSkew(of device: DeviceID, bySlots slots: Int, at uptime: Duration) -> Bool {
        found = found.filter { uptime - $0.value.at < Self.lifetime }
        defer { found[device] = (slots, uptime) }
        return found[device]?.slots != slots
    }

    /// Records that a device was heard in the right slot.
    package mutating func clearSkew(of device: DeviceID) {
        found[device] = nil
    }

    /// Returns the devices whose clocks differ, and the number of 15-minute slots by which theirs are ahead.
    package func skewedDevices(at uptime: Duration) -> [(device: DeviceID, slots: Int)] {
        found.filter { uptime - $0.value.at < Self.lifetime }.map { ($0.key, $0.value.slots) }
            .sorted { $0.device.description < $1.device.description }
    }

    /// Whether this device's clock cannot be right: it shows a time before this program was written.
    package static func isClockUnset(at now: Moment) -> Bool { now.unixMicroseconds < firstPossibleTime }

    /// 2025-01-01 00:00:00 UTC.
    private static let firstPossibleTime: Int64 = 1_735_689_600_000_000

    /// The sentence that explains to the user what follows from a clock that was not set.
    package static let explanationOfUnsetClock =
        "the clock of this computer shows a time before 2025, as after its battery was empty; neither this device nor the "
        + "others see each other's activities: set it from the network"

    /// Returns the sentence that explains the difference to the user.
    package static func explanation(of name: String, slots: Int) -> String {
        let minutes = abs(slots) * 15
        let time = minutes < 120 ? "\(minutes) minutes" : "\((minutes + 30) / 60) hours"
        return
            "the clock of \(name) is about \(time) \(slots > 0 ? "ahead of" : "behind") this one, so neither sees the other: "
            + "set both from the network (unless old advertisements of \(name) are being replayed)"
    }
}
