/// The reason for a failure of Handoff, more precise than the four Cocoa codes: the last element of the D-Bus name of
/// the daemon's error, or a reason of this library.
///
/// Later versions may add reasons: treat one that you do not know as a failure for which a retry does not help.
public struct HandoffReason: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public var description: String { rawValue }
}

extension HandoffReason {
    /// The activity type is not a reverse-DNS name.
    public static let invalidActivityType = HandoffReason(rawValue: "InvalidActivityType")
    /// The URL is not a valid http or https URL of a web page.
    public static let invalidWebpageURL = HandoffReason(rawValue: "InvalidWebpageURL")
    /// The title is too long.
    public static let invalidTitle = HandoffReason(rawValue: "InvalidTitle")
    /// userInfo contains a value that cannot be sent.
    public static let invalidUserInfo = HandoffReason(rawValue: "InvalidUserInfo")
    /// The activity is larger than 64 KiB: send large data in a stream.
    public static let payloadTooLarge = HandoffReason(rawValue: "PayloadTooLarge")
    /// The URL is not a `file:` URL of this device.
    public static let invalidDocument = HandoffReason(rawValue: "InvalidDocument")
    /// The other device is out of range or asleep.
    public static let peerUnreachable = HandoffReason(rawValue: "PeerUnreachable")
    /// The other device does not trust this one.
    public static let notTrusted = HandoffReason(rawValue: "NotTrusted")
    /// The other side answered too late.
    public static let timedOut = HandoffReason(rawValue: "TimedOut")
    /// The user cancelled; this is not a failure to report.
    public static let userCancelled = HandoffReason(rawValue: "UserCancelled")
    /// The app that published the activity accepts no streams.
    public static let streamsNotSupported = HandoffReason(rawValue: "StreamsNotSupported")
    /// The activity has ended on its origin device.
    public static let continuationEnded = HandoffReason(rawValue: "ContinuationEnded")

    /// handoffd is not running and cannot be started, or there is no bus.
    public static let noDaemon = HandoffReason(rawValue: "NoDaemon")
    /// Another program owns the app's name on the bus and receives the activities that this one should continue.
    public static let nameTaken = HandoffReason(rawValue: "NameTaken")
    /// A stream ended before the other side had finished: data may be missing.
    public static let streamBroken = HandoffReason(rawValue: "StreamBroken")
    /// The activity began on this device, so there is no other app to open a stream to.
    public static let notContinued = HandoffReason(rawValue: "NotContinued")
}
