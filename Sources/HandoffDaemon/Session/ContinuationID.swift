import HandoffCore
import HandoffModel

/// The name by which an app that continues an activity requests a stream: the device that it came from, and that
/// device's stream token.
///
/// It needs no state on this device, and stays valid over a restart of the daemon as long as the origin's app runs.
struct ContinuationID: Hashable, Sendable, CustomStringConvertible {
    let device: DeviceID
    let activity: UInt64

    /// The text that clients see, such as `0123456789abcdef.42`.
    var description: String { "\(device).\(activity)" }

    init(device: DeviceID, activity: UInt64) {
        self.device = device
        self.activity = activity
    }

    /// Returns the id for an activity from a device; nil if its app does not accept streams.
    init?(of activity: Activity, from device: DeviceID) {
        guard let name = activity.properties.streamToken else { return nil }
        self.init(device: device, activity: name)
    }

    /// Parses the form of ``description``.
    ///
    /// - Throws: `HandoffError` with `noSuchActivity`.
    init(_ text: String) throws(HandoffError) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let device = try? DeviceID(String(parts[0])), let activity = UInt64(parts[1]) else {
            throw HandoffError(
                .noSuchActivity,
                "Not a continuation; pass the Continuation that came with the activity."
            )
        }
        self.init(device: device, activity: activity)
    }
}
