import HandoffCore
import HandoffModel

/// What an app that continues an activity calls it when it asks for a stream: which device it came from, and what that
/// one calls it.
///
/// It needs no memory here, and outlives the daemon as long as the origin's app does.
struct ContinuationName: Hashable, Sendable, CustomStringConvertible {
    let device: DeviceID
    let activity: UInt64

    /// `0123456789abcdef.42`
    var description: String { "\(device).\(activity)" }

    init(device: DeviceID, activity: UInt64) {
        self.device = device
        self.activity = activity
    }

    /// Reads what ``description`` writes.
    ///
    /// - Throws: ``HandoffCore/HandoffError`` with `noSuchActivity`.
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
