import HandoffModel
import HandoffWire
import Logging

/// The bound on what one activity may weigh.
enum PayloadSize {
    /// Warns of an activity that has become large, and refuses one that is too large.
    ///
    /// The bound is for all of it, since all of it is kept; the warning is about what goes on the air. An activity that
    /// was large before is not news.
    ///
    /// - Throws: ``ModelError`` with `payloadTooLarge`.
    static func check(_ activity: Activity, replacing old: Activity? = nil, _ logger: Logger) throws(ModelError) {
        guard activity.encodedSize <= ActivityLimits.maximumPayloadBytes else { return try activity.checkEncodedSize() }
        guard let size = largeSize(of: activity), old.flatMap(largeSize) == nil else { return }
        logger.warning(
            "a large activity is slow to continue; 3 KiB or less is advised, larger data belongs in streams",
            metadata: ["type": "\(activity.type.rawValue)", "bytes": "\(size)"]
        )
    }

    /// The size on the air, when it is above what is advised.
    private static func largeSize(of activity: Activity) -> Int? {
        let size = activity.reducedToRequiredKeys.encodedSize
        return size > ActivityLimits.advisedPayloadBytes ? size : nil
    }
}
