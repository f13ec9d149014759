/// An error of the core or of the services that perform its actions: a code for programs, and a sentence for people.
package struct HandoffError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The code of a ``HandoffError``; a struct, so that codes can be added.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Wrapped: String {
            case limitReached, noSuchActivity, notOwner, noLongerCurrent, unknownDevice, ownCard, invalidCard
            case peerUnreachable, peerRefused, peerMisbehaved, notTrusted, timedOut, radioUnavailable
            case noBluetoothService, noAdapter, bluetoothOff, bluetoothBlocked
            case streamsNotSupported, continuationEnded
            case stateUnreadable, stateDamaged, stateUnwritable
            case userCancelled, notContinuable, appFailed, noSuchApp
            case documentNotShared, documentMissing, documentIsProgram, noSuchFolder, invalidDocument
            case notPaired, unconfirmed, deviceRemoved
            case paused, denied, noSuchRule, invalidSettings
        }

        private let wrapped: Wrapped

        package var description: String { wrapped.rawValue }

        /// A limit on what one client may hold was reached.
        package static let limitReached = Code(wrapped: .limitReached)
        /// The activity does not exist, or no longer exists.
        package static let noSuchActivity = Code(wrapped: .noSuchActivity)
        /// The activity belongs to another client.
        package static let notOwner = Code(wrapped: .notOwner)
        /// The activity is no longer the current one of its origin.
        package static let noLongerCurrent = Code(wrapped: .noLongerCurrent)
        /// No trusted device has that id.
        package static let unknownDevice = Code(wrapped: .unknownDevice)
        /// The card is this device's own.
        package static let ownCard = Code(wrapped: .ownCard)
        /// The card cannot be used.
        package static let invalidCard = Code(wrapped: .invalidCard)
        /// The device did not answer: it has left, is out of range, or is switched off.
        package static let peerUnreachable = Code(wrapped: .peerUnreachable)
        /// The device refused the request.
        package static let peerRefused = Code(wrapped: .peerRefused)
        /// The device broke the protocol.
        package static let peerMisbehaved = Code(wrapped: .peerMisbehaved)
        /// The other side has none of the required keys.
        package static let notTrusted = Code(wrapped: .notTrusted)
        /// A step exceeded its time limit.
        package static let timedOut = Code(wrapped: .timedOut)
        /// The radio cannot be used now, for another reason than the next four.
        package static let radioUnavailable = Code(wrapped: .radioUnavailable)
        /// The Bluetooth service does not run.
        package static let noBluetoothService = Code(wrapped: .noBluetoothService)
        /// This computer has no Bluetooth adapter.
        package static let noAdapter = Code(wrapped: .noAdapter)
        /// The adapter is switched off.
        package static let bluetoothOff = Code(wrapped: .bluetoothOff)
        /// The adapter is blocked by the kernel's switch for radios.
        package static let bluetoothBlocked = Code(wrapped: .bluetoothBlocked)
        /// The user has cancelled, or chosen something else meanwhile.
        package static let userCancelled = Code(wrapped: .userCancelled)
        /// No app on this device accepts the activity, and it has no web page.
        package static let notContinuable = Code(wrapped: .notContinuable)
        /// No app with that id claims that type.
        package static let noSuchApp = Code(wrapped: .noSuchApp)
        /// The app could not be started, crashed, or did not answer.
        package static let appFailed = Code(wrapped: .appFailed)
        /// The app of the activity does not accept continuation streams.
        package static let streamsNotSupported = Code(wrapped: .streamsNotSupported)
        /// The activity that was continued has ended at its origin.
        package static let continuationEnded = Code(wrapped: .continuationEnded)
        /// A document is not in a synchronised folder, or its path leads out of the folder.
        package static let documentNotShared = Code(wrapped: .documentNotShared)
        /// A document does not exist.
        package static let documentMissing = Code(wrapped: .documentMissing)
        /// A document may start a program, and the user has not agreed to it.
        package static let documentIsProgram = Code(wrapped: .documentIsProgram)
        /// No synchronised folder has that id, or its directory does not exist.
        package static let noSuchFolder = Code(wrapped: .noSuchFolder)
        /// The URL of a document, or the path of a folder, has the wrong form.
        package static let invalidDocument = Code(wrapped: .invalidDocument)
        /// A pairing has ended without pairing the devices.
        package static let notPaired = Code(wrapped: .notPaired)
        /// The local user has confirmed a pairing; whether the remote user has is unknown.
        package static let unconfirmed = Code(wrapped: .unconfirmed)
        /// The device was removed from the circle, so that its present keys are not trusted again.
        package static let deviceRemoved = Code(wrapped: .deviceRemoved)
        /// Handoff is paused on this device.
        package static let paused = Code(wrapped: .paused)
        /// The rules of this device do not allow it.
        package static let denied = Code(wrapped: .denied)
        /// There is no rule about that subject.
        package static let noSuchRule = Code(wrapped: .noSuchRule)
        /// The configuration file cannot be used.
        package static let invalidSettings = Code(wrapped: .invalidSettings)
        /// A file of the state directory cannot be read.
        package static let stateUnreadable = Code(wrapped: .stateUnreadable)
        /// A file of the state directory has unexpected contents.
        package static let stateDamaged = Code(wrapped: .stateDamaged)
        /// The state directory cannot be written.
        package static let stateUnwritable = Code(wrapped: .stateUnwritable)
    }

    package let code: Code

    /// What went wrong and what to do, in a sentence for the user.
    package let message: String

    /// The rule that the peer has broken in a session, if that is the cause.
    package let violation: ProtocolViolation?

    package var description: String { message }

    package init(_ code: Code, _ message: String, violation: ProtocolViolation? = nil) {
        self.code = code
        self.message = message
        self.violation = violation
    }
}
