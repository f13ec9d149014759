import HandoffModel
import HandoffWire
import Logging

/// The limit on the size of an activity.
enum PayloadSize {
    /// Logs a warning for an activity that has become large, and rejects one that is too large.
    ///
    /// The limit applies to the whole activity, because all of it is kept; the warning applies to the part that is
    /// transferred. An activity that was large before is not reported again.
    ///
    /// - Throws: ``ModelError`` with `payloadTooLarge`.
    static func check(_ activity: Activity, replacing old: Activity? = nil, _ log: PeerLog) throws(ModelError) {
        guard activity.encodedSize <= ActivityLimits.maximumPayloadBytes else { return try activity.checkEncodedSize() }
        guard let size = largeSize(of: activity), old.flatMap(largeSize) == nil else { return }
        log.log(
            "activity.large",
            at: .warning,
            "a large activity is slow to continue; use 3 KiB or less, and streams for larger data",
            metadata: ["bytes": "\(size)"]
        )
    }

    /// Returns the transferred size when it is above the advised one.
    private static func largeSize(of activity: Activity) -> Int? {
        let size = activity.reducedToRequiredKeys.encodedSize
        return size > ActivityLimits.advisedPayloadBytes ? size : nil
    }
}
