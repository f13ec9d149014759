import HandoffModel
import HandoffWire
import Logging

/// The bound on what one activity may weigh.
enum PayloadSize {
    /// Warns of a large activity and refuses one that is too large.
    ///
    /// - Throws: ``ModelError`` with `payloadTooLarge`.
    static func check(_ activity: Activity, _ logger: Logger) throws(ModelError) {
        let size = activity.encodedSize
        guard size <= ActivityLimits.maximumPayloadBytes else { return try activity.checkEncodedSize() }
        guard size > ActivityLimits.advisedPayloadBytes else { return }
        logger.warning(
            "a large activity is slow to continue; 3 KiB or less is advised, larger data belongs in streams",
            metadata: ["type": "\(activity.type.rawValue)", "bytes": "\(size)"]
        )
    }
}
