/// An error of the core or of the services that perform its actions: a code for programs, and a sentence for people.
package struct HandoffError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The code of a ``HandoffError``.
    package enum Code: String, Hashable, Sendable, CustomStringConvertible {
        /// A limit on what one client may hold was reached.
        case limitReached
        /// The activity does not exist, or no longer exists.
        case noSuchActivity
        /// The activity belongs to another client.
        case notOwner
        /// The activity is no longer the current one of its origin.
        case noLongerCurrent
        /// No trusted device has that id.
        case unknownDevice
        /// The card is this device's own.
        case ownCard
        /// The card cannot be used.
        case invalidCard
        /// The device did not answer: it has left, is out of range, or is switched off.
        case peerUnreachable
        /// The device refused the request.
        case peerRefused
        /// The device broke the protocol.
        case peerMisbehaved
        /// The other side has none of the required keys.
        case notTrusted
        /// A step exceeded its time limit.
        case timedOut
        /// The radio cannot be used now, for another reason than the next four.
        case radioUnavailable
        /// The Bluetooth service does not run.
        case noBluetoothService
        /// This computer has no Bluetooth adapter.
        case noAdapter
        /// The adapter is switched off.
        case bluetoothOff
        /// The adapter is blocked by the kernel's switch for radios.
        case bluetoothBlocked
        /// The user has cancelled, or chosen something else meanwhile.
        case userCancelled
        /// No app on this device accepts the activity, and it has no web page.
        case notContinuable
        /// No app with that id claims that type.
        case noSuchApp
        /// The app could not be started, crashed, or did not answer.
        case appFailed
        /// The app of the activity does not accept continuation streams.
        case streamsNotSupported
        /// The activity that was continued has ended at its origin.
        case continuationEnded
        /// A document is not in a synchronised folder, or its path leads out of the folder.
        case documentNotShared
        /// A document does not exist.
        case documentMissing
        /// A document may start a program, and the user has not agreed to it.
        case documentIsProgram
        /// No synchronised folder has that id, or its directory does not exist.
        case noSuchFolder
        /// The URL of a document, or the path of a folder, has the wrong form.
        case invalidDocument
        /// A pairing has ended without pairing the devices.
        case notPaired
        /// The local user has confirmed a pairing; whether the remote user has is unknown.
        case unconfirmed
        /// The device was removed from the circle, so that its present keys are not trusted again.
        case deviceRemoved
        /// Handoff is paused on this device.
        case paused
        /// The rules of this device do not allow it.
        case denied
        /// There is no rule about that subject.
        case noSuchRule
        /// The configuration file cannot be used.
        case invalidSettings
        /// A file of the state directory cannot be read.
        case stateUnreadable
        /// A file of the state directory has unexpected contents.
        case stateDamaged
        /// The state directory cannot be written.
        case stateUnwritable

        /// The name of the code in messages and logs.
        package var description: String { rawValue }
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
