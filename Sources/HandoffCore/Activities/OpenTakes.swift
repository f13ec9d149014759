package import HandoffModel
package import HandoffWire

/// The takes of other devices whose outcome is not known yet: attempts to go on with an activity of this device.
///
/// A take begins when its activity is about to be sent, because a caller may have the activity although its
/// acknowledgement was lost. It ends with the first report of the device that began it; any other report finds nothing.
package struct OpenTakes: Sendable {
    /// How long a take waits for its report.
    ///
    /// The caller gives up after ``TakeReports/lifetime``, which begins later here by the time of a session; the rest is
    /// for a last report on its way.
    package static let lifetime = Duration.seconds(660)
    /// The largest number of takes of one device; a new one replaces its oldest, never that of another device.
    package static let maximumPerDevice = 16

    /// One take.
    package struct Take: Hashable, Sendable {
        package let id: TakeID
        /// The device that goes on with the activity.
        package let device: DeviceID
        package let activity: ActivityID
        /// Whether the device has acknowledged the activity.
        package fileprivate(set) var isAcknowledged = false
        /// The `uptime` until which its report counts.
        fileprivate let until: Duration
    }

    /// In the order in which they began.
    private var takes: [Take] = []

    package init() {}

    /// The number of takes.
    package var count: Int { takes.count }

    /// The `uptime` at which ``expire(at:)`` has something to do; nil for never.
    package var nextDeadline: Duration? { takes.map(\.until).min() }

    /// Begins a take; one with the same id of the same device is the same take in a repeated session.
    package mutating func begin(_ id: TakeID, of activity: ActivityID, by device: DeviceID, at now: Moment) {
        takes.removeAll { $0.id == id && $0.device == device }
        if takes.count(where: { $0.device == device }) >= Self.maximumPerDevice,
            let oldest = takes.firstIndex(where: { $0.device == device })
        {
            takes.remove(at: oldest)
        }
        takes.append(Take(id: id, device: device, activity: activity, until: now.uptime + Self.lifetime))
    }

    /// Records that the device of a take has acknowledged the activity; an unknown take is ignored.
    package mutating func acknowledge(_ id: TakeID, by device: DeviceID) {
        guard let index = index(of: id, by: device) else { return }
        takes[index].isAcknowledged = true
    }

    /// The activities with which a device has begun to go on, and of which it has not reported the outcome.
    package func activities(of device: DeviceID) -> Set<ActivityID> {
        Set(takes.lazy.filter { $0.device == device }.map(\.activity))
    }

    /// Ends a take because of a report of `device`, and returns it; nil if that device has no such take.
    package mutating func end(_ id: TakeID, by device: DeviceID, at now: Moment) -> Take? {
        guard let index = index(of: id, by: device), takes[index].until > now.uptime else { return nil }
        return takes.remove(at: index)
    }

    /// Ends the takes whose time is over, and returns those that were acknowledged: their outcome stays unknown.
    package mutating func expire(at now: Moment) -> [Take] {
        let expired = takes.filter { $0.until <= now.uptime }
        takes.removeAll { $0.until <= now.uptime }
        return expired.filter(\.isAcknowledged)
    }

    /// Forgets the takes of an activity that no longer exists.
    package mutating func remove(_ activity: ActivityID) {
        takes.removeAll { $0.activity == activity }
    }

    /// Forgets the takes of a device that is no longer trusted.
    package mutating func remove(by device: DeviceID) {
        takes.removeAll { $0.device == device }
    }

    private func index(of id: TakeID, by device: DeviceID) -> Int? {
        takes.firstIndex { $0.id == id && $0.device == device }
    }
}
