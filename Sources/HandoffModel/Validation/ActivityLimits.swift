/// The bounds that every activity keeps, on the bus and on the air.
package enum ActivityLimits {
    /// The longest activity type in UTF-8 bytes: what D-Bus allows a name (D-Bus specification, "Valid Names").
    package static let typeBytes = 255

    /// The longest title in UTF-8 bytes.
    package static let titleBytes = 1024

    /// The longest web page address in bytes.
    package static let webpageURLBytes = 2048

    /// The longest team identifier in bytes.
    package static let teamIDBytes = 64

    /// The longest target content identifier and persistent identifier in UTF-8 bytes.
    package static let identifierBytes = 1024

    /// The most names that `requiredUserInfoKeys` may hold.
    package static let requiredKeys = 1024

    /// The deepest nesting of userInfo: a value that stands directly under a key is at depth 1.
    package static let nestingDepth = 16

    /// The encoded size in bytes above which the origin warns.
    ///
    /// Apple's Handoff programming guide advises 3 KB or less.
    package static let advisedPayloadBytes = 3 * 1024

    /// The encoded size in bytes above which an activity is refused; larger data travels in continuation streams.
    package static let maximumPayloadBytes = 64 * 1024
}
