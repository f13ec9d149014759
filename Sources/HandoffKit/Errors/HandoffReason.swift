/// Why something of Handoff failed, finer than the four codes of Cocoa: the last part of the name of the daemon's error,
/// or one of this library's own.
///
/// More reasons may come: treat one that you do not know as a failure that will not go away by trying again.
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
    /// The address is not one of a web page.
    public static let invalidWebpageURL = HandoffReason(rawValue: "InvalidWebpageURL")
    /// The title is too long.
    public static let invalidTitle = HandoffReason(rawValue: "InvalidTitle")
    /// userInfo holds something that cannot travel.
    public static let invalidUserInfo = HandoffReason(rawValue: "InvalidUserInfo")
    /// The activity has more than 64 KiB: what is large belongs into streams.
    public static let payloadTooLarge = HandoffReason(rawValue: "PayloadTooLarge")
    /// The other device is out of range or asleep.
    public static let peerUnreachable = HandoffReason(rawValue: "PeerUnreachable")
    /// The other device does not trust this one.
    public static let notTrusted = HandoffReason(rawValue: "NotTrusted")
    /// The other side answered too late.
    public static let timedOut = HandoffReason(rawValue: "TimedOut")
    /// The person went on with something else; nothing is wrong.
    public static let userCancelled = HandoffReason(rawValue: "UserCancelled")
    /// The app that began the activity takes no streams.
    public static let streamsNotSupported = HandoffReason(rawValue: "StreamsNotSupported")
    /// The activity has ended on the device on which it began.
    public static let continuationEnded = HandoffReason(rawValue: "ContinuationEnded")

    /// handoffd does not run and cannot be started, or there is no bus.
    public static let noDaemon = HandoffReason(rawValue: "NoDaemon")
    /// Another program has the app's name on the bus, and is given what this one should continue.
    public static let nameTaken = HandoffReason(rawValue: "NameTaken")
    /// A stream ended before the other side had finished: something may be missing.
    public static let streamBroken = HandoffReason(rawValue: "StreamBroken")
    /// The activity began on this device, so that there is nobody to open a stream to.
    public static let notContinued = HandoffReason(rawValue: "NotContinued")
}
