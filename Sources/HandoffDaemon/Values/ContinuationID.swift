import HandoffCore
import HandoffModel

/// What an app that continues an activity calls it when it asks for a stream: which device it came from, and what that
/// one calls it.
///
/// It needs no memory here, and outlives the daemon as long as the origin's app does.
struct ContinuationID: Hashable, Sendable, CustomStringConvertible {
    let device: DeviceID
    let activity: UInt64

    /// The text that programs see, such as `0123456789abcdef.42`.
    var description: String { "\(device).\(activity)" }

    init(device: DeviceID, activity: UInt64) {
        self.device = device
        self.activity = activity
    }

    /// What an activity that came from a device is called; nil where its app takes no streams.
    init?(of activity: Activity, from device: DeviceID) {
        guard let name = activity.properties.streamToken else { return nil }
        self.init(device: device, activity: name)
    }

    /// Reads what ``description`` writes.
    ///
    /// - Throws: `HandoffError` with `noSuchActivity`.
    init(_ text: String) throws(HandoffError) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let device = try? DeviceID(String(parts[0])), let activity = UInt64(parts[1]) else {
            throw HandoffError(
                .noSuchActivity,
                "This is no continuation; pass on the Continuation that came with the activity."
            )
        }
        self.init(device: device, activity: activity)
    }
}
