package import HandoffModel
package import HandoffWire

/// The takes of this device's activities by other devices.
extension Origin {
    /// Records that an activity is about to be sent to a device that goes on with it.
    package mutating func begin(_ take: TakeID, of id: ActivityID, by device: DeviceID, at now: Moment) {
        guard contains(id) else { return }
        takes.begin(take, of: id, by: device, at: now)
    }

    /// Records that a device has acknowledged the activity of its take; it may open streams, also after the take.
    package mutating func acknowledged(_ take: TakeID, of id: ActivityID, by device: DeviceID) {
        acknowledged(id, by: device)
        takes.acknowledge(take, by: device)
    }

    /// Ends a take because of a report, and returns the activity whose app has to be told the outcome.
    ///
    /// - Returns: nil when the device has no such take, because it never had, it has reported before, its time is over,
    ///   this is another run of the daemon, or the activity has ended.
    package mutating func end(
        _ report: TakeReport,
        by device: DeviceID,
        at now: Moment
    ) -> ActivityRegister<Owner>.Record? {
        guard let take = takes.end(report.take, by: device, at: now) else { return nil }
        // The report proves that the device has the activity, even if its acknowledgement was lost.
        acknowledged(take.activity, by: device)
        return try? activity(take.activity)
    }

    /// Ends the takes whose outcome did not arrive in time, and returns those whose activity had arrived.
    package mutating func expireTakes(at now: Moment) -> [OpenTakes.Take] { takes.expire(at: now) }

    /// Forgets the takes of a device that is no longer trusted.
    package mutating func forgetTakes(by device: DeviceID) { takes.remove(by: device) }
}
