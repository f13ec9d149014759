package import DBus

/// The names of the errors in the daemon's replies, `org.handoffd.Error.…`; Docs/dbus/errors.md explains each.
package enum HandoffErrorName: String, CaseIterable, Sendable {
    case invalidActivityType = "InvalidActivityType"
    case invalidWebpageURL = "InvalidWebpageURL"
    case invalidTitle = "InvalidTitle"
    case invalidUserInfo = "InvalidUserInfo"
    case invalidArgument = "InvalidArgument"
    case payloadTooLarge = "PayloadTooLarge"
    case limitReached = "LimitReached"
    case noSuchActivity = "NoSuchActivity"
    case notOwner = "NotOwner"
    case notForApps = "NotForApps"
    case callerSandboxed = "CallerSandboxed"
    case noLongerCurrent = "NoLongerCurrent"
    case unknownDevice = "UnknownDevice"
    case deviceRemoved = "DeviceRemoved"
    case invalidCard = "InvalidCard"
    case ownCard = "OwnCard"
    case peerUnreachable = "PeerUnreachable"
    case peerRefused = "PeerRefused"
    case peerMisbehaved = "PeerMisbehaved"
    case notTrusted = "NotTrusted"
    case timedOut = "TimedOut"
    case streamsNotSupported = "StreamsNotSupported"
    case continuationEnded = "ContinuationEnded"
    case noSuchStream = "NoSuchStream"
    case cancelled = "Cancelled"
    case userCancelled = "UserCancelled"
    case notContinuable = "NotContinuable"
    case appFailed = "AppFailed"
    case noSuchApp = "NoSuchApp"
    case documentNotShared = "DocumentNotShared"
    case documentMissing = "DocumentMissing"
    case documentIsProgram = "DocumentIsProgram"
    case noSuchFolder = "NoSuchFolder"
    case invalidDocument = "InvalidDocument"
    case notPaired = "NotPaired"
    case unconfirmed = "Unconfirmed"
    case paused = "Paused"
    case denied = "Denied"
    case noSuchRule = "NoSuchRule"
    case invalidSettings = "InvalidSettings"
    case noBluetoothService = "NoBluetoothService"
    case noAdapter = "NoAdapter"
    case bluetoothOff = "BluetoothOff"
    case bluetoothBlocked = "BluetoothBlocked"
    case radioUnavailable = "RadioUnavailable"
    case stateUnreadable = "StateUnreadable"
    case stateUnwritable = "StateUnwritable"

    /// The prefix of every name.
    package static let prefix = "org.handoffd.Error."

    /// The full name, as in error replies.
    package var errorName: ErrorName {
        // The raw values are valid name elements, as the literal initializer requires.
        ErrorName(stringLiteral: Self.prefix + rawValue)
    }

    /// Creates a value from the name of an error reply; nil if it is not one of these.
    package init?(_ name: ErrorName?) {
        guard let text = name?.description, text.hasPrefix(Self.prefix) else { return nil }
        self.init(rawValue: String(text.dropFirst(Self.prefix.count)))
    }

    /// Returns an error reply with this name and a sentence for the user.
    package func reply(_ message: String) -> DBusError {
        .failure(errorName, message)
    }
}
