package import DBus

/// The names of the errors that the daemon answers with, `org.handoffd.Error.…`; Docs/dbus/errors.md explains each.
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
    case noLongerCurrent = "NoLongerCurrent"
    case unknownDevice = "UnknownDevice"
    case invalidCard = "InvalidCard"
    case ownCard = "OwnCard"
    case peerUnreachable = "PeerUnreachable"
    case peerRefused = "PeerRefused"
    case peerMisbehaved = "PeerMisbehaved"
    case notTrusted = "NotTrusted"
    case timedOut = "TimedOut"
    case streamsNotSupported = "StreamsNotSupported"
    case continuationEnded = "ContinuationEnded"
    case cancelled = "Cancelled"
    case userCancelled = "UserCancelled"
    case notContinuable = "NotContinuable"
    case appFailed = "AppFailed"
    case noSuchApp = "NoSuchApp"
    case documentNotShared = "DocumentNotShared"
    case documentMissing = "DocumentMissing"
    case noSuchFolder = "NoSuchFolder"
    case invalidDocument = "InvalidDocument"
    case notPaired = "NotPaired"
    case unconfirmed = "Unconfirmed"
    case noBluetoothService = "NoBluetoothService"
    case noAdapter = "NoAdapter"
    case bluetoothOff = "BluetoothOff"
    case bluetoothBlocked = "BluetoothBlocked"
    case radioUnavailable = "RadioUnavailable"
    case stateUnreadable = "StateUnreadable"
    case stateUnwritable = "StateUnwritable"

    /// What every name begins with.
    package static let prefix = "org.handoffd.Error."

    /// The name as it travels.
    package var errorName: ErrorName {
        // The raw values are valid members, so that the literal's promise holds.
        ErrorName(stringLiteral: Self.prefix + rawValue)
    }

    /// The name of an error reply, if it is one of these.
    package init?(_ name: ErrorName?) {
        guard let text = name?.description, text.hasPrefix(Self.prefix) else { return nil }
        self.init(rawValue: String(text.dropFirst(Self.prefix.count)))
    }

    /// An error reply of this name with a sentence for a person.
    package func reply(_ message: String) -> DBusError {
        .failure(errorName, message)
    }
}
