public import FoundationEssentials
import HandoffModel

/// What came of a save: whether the daemon has accepted the new state, and how large it is.
public struct SaveResult: Sendable {
    /// The recommended size of an activity, in bytes: 3 KiB; a larger one is slow to continue.
    public static let recommendedSize = ActivityLimits.advisedPayloadBytes
    /// The maximum size of an activity, in bytes: 64 KiB.
    public static let maximumSize = ActivityLimits.maximumPayloadBytes

    /// The size of the activity as it is sent, in bytes; nil if the daemon did not report it.
    public let encodedSize: Int?

    /// Why the daemon refused the new state, so that the state before it is sent; nil if it was accepted.
    public let error: CocoaError?

    /// A sentence for the developer, if the activity is larger than ``recommendedSize``.
    public var sizeWarning: String? { encodedSize.flatMap(Self.sizeWarning) }

    /// A sentence for the developer about an activity of that size; nil for one that is not too large.
    static func sizeWarning(_ size: Int) -> String? { ActivityLimits.sizeWarning(size) }
}
