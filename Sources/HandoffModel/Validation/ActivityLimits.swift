/// The bounds of every activity, on the bus and on the air.
package enum ActivityLimits {
    /// The longest activity type in UTF-8 bytes: the limit for D-Bus names (D-Bus specification, "Valid Names").
    package static let typeBytes = 255

    /// The longest title in UTF-8 bytes.
    package static let titleBytes = 1024

    /// The longest web page address in bytes.
    package static let webpageURLBytes = 2048

    /// The longest team identifier in bytes.
    package static let teamIDBytes = 64

    /// The longest target content identifier and persistent identifier in UTF-8 bytes.
    package static let identifierBytes = 1024

    /// The largest number of keys in `requiredUserInfoKeys`.
    package static let requiredKeys = 1024

    /// The longest key of userInfo, at any depth, and of `requiredUserInfoKeys`, in UTF-8 bytes.
    ///
    /// Keys are compared by canonical equivalence, which takes a time that grows with the square of the combining marks in
    /// a row: a third of a second for one key of 64 KiB, a thousandth of that for each of 1 KiB.
    package static let keyBytes = 1024

    /// The deepest nesting of userInfo: a value directly under a key is at depth 1.
    package static let nestingDepth = 16

    /// The encoded size in bytes above which the origin warns.
    ///
    /// Apple's Handoff programming guide advises 3 KB or less.
    package static let advisedPayloadBytes = 3 * 1024

    /// The encoded size in bytes above which an activity is refused; use continuation streams for larger data.
    package static let maximumPayloadBytes = 64 * 1024

    /// A sentence for a developer about an activity of that encoded size in bytes; nil for one that is not too large.
    package static func sizeWarning(_ size: Int) -> String? {
        guard size > advisedPayloadBytes else { return nil }
        return "The activity has \(size) bytes; \(advisedPayloadBytes) or less are recommended, and more than "
            + "\(maximumPayloadBytes) are refused. Keep userInfo small, and send large data through continuation streams."
    }
}
