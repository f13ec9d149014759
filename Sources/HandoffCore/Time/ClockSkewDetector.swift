package import HandoffModel

/// Finds out why a trusted device is near and not seen: its clock, or the one here, is far off.
///
/// Advertisements of such a device look like a stranger's. Now and then one of those is looked at more closely; what is found
/// is a thing to tell a person, and nothing more, for whoever recorded an advertisement can repeat it later.
package struct ClockSkewDetector: Sendable {
    /// The shortest time between two closer looks: each costs milliseconds.
    package static let interval = Duration.seconds(20)
    /// How long what was found is told without being found again.
    package static let lifetime = Duration.seconds(600)

    private var lastCheck: Duration?
    private var found: [DeviceID: (slots: Int, at: Duration)] = [:]

    package init() {}

    /// Whether it is time for a closer look, which counts as taken then.
    package mutating func shouldCheck(at uptime: Duration) -> Bool {
        if let lastCheck, uptime - lastCheck < Self.interval { return false }
        lastCheck = uptime
        return true
    }

    /// Takes in that a device seals under a slot so many after the one of here; whether that is news.
    package mutating func recordSkew(of device: DeviceID, bySlots slots: Int, at uptime: Duration) -> Bool {
        found = found.filter { uptime - $0.value.at < Self.lifetime }
        defer { found[device] = (slots, uptime) }
        return found[device]?.slots != slots
    }

    /// Takes in that a device was heard in time.
    package mutating func clearSkew(of device: DeviceID) {
        found[device] = nil
    }

    /// The devices whose clocks differ, and by how many slots of 15 minutes theirs are ahead.
    package func skewedDevices(at uptime: Duration) -> [(device: DeviceID, slots: Int)] {
        found.filter { uptime - $0.value.at < Self.lifetime }.map { ($0.key, $0.value.slots) }
            .sorted { $0.device.description < $1.device.description }
    }

    /// What to tell a person of it.
    package static func explanation(of name: String, slots: Int) -> String {
        let minutes = abs(slots) * 15
        let time = minutes < 120 ? "\(minutes) minutes" : "\((minutes + 30) / 60) hours"
        return
            "the clock of \(name) is about \(time) \(slots > 0 ? "ahead of" : "behind") this one, so neither sees the other: "
            + "set both by the network (unless somebody repeats what \(name) said then)"
    }
}
