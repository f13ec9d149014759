package import HandoffModel

/// With which members an exchange of the circle was completed in this run of the device.
///
/// What a file says of earlier runs is not believed: it may be an old copy, or written while the clock was wrong
/// (decision 47).
package struct ConfirmedExchanges: Hashable, Sendable {
    /// How long an exchange counts.
    package static let lifetime = Duration.seconds(86_400)
    /// How long an exchange counts when somebody has come to the device since: what has happened meanwhile shows soon.
    package static let lifetimeBeforeArrival = Duration.seconds(3600)

    /// When the last one with each member was completed, as `uptime`.
    private var completed: [DeviceID: Duration] = [:]

    package init() {}

    /// Records that an exchange with a member was completed.
    package mutating func complete(with member: DeviceID, at uptime: Duration) { completed[member] = uptime }

    /// Records that the clock was set: the keys that were told may be for other days than they seem to be.
    package mutating func clockWasSet() { completed = [:] }

    /// Records that somebody has come to this device, such as by unlocking it.
    package mutating func somebodyCame(at uptime: Duration) {
        completed = completed.filter { uptime - $0.value < Self.lifetimeBeforeArrival }
    }

    /// Forgets a device that is not trusted any more.
    package mutating func forget(_ device: DeviceID) { completed[device] = nil }

    /// Whether an exchange with a member is due.
    package func isDue(with member: DeviceID, at uptime: Duration) -> Bool {
        completed[member].map { uptime - $0 >= Self.lifetime } ?? true
    }

    /// When the next exchange will be due that is not yet, as `uptime`.
    package func nextDue(after uptime: Duration) -> Duration? {
        completed.values.map { $0 + Self.lifetime }.filter { $0 > uptime }.min()
    }
}
