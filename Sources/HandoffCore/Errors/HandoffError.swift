/// An error of the core, or of what carries out its actions: a kind for programs, a sentence for people.
package struct HandoffError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of a ``HandoffError``; a struct, so that kinds can be added.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Wrapped: String {
            case limitReached, noSuchActivity, notOwner, noLongerCurrent, unknownDevice, ownCard, invalidCard
            case peerUnreachable, peerRefused, peerMisbehaved, notTrusted, timedOut, radioUnavailable
            case streamsNotSupported, continuationEnded
            case stateUnreadable, stateDamaged, stateUnwritable
            case userCancelled, notContinuable, appFailed, noSuchApp
            case documentNotShared, documentMissing, noSuchFolder, invalidDocument
            case notPaired, unconfirmed
        }

        private let wrapped: Wrapped

        package var description: String { wrapped.rawValue }

        /// A bound on how much one client may hold was reached.
        package static let limitReached = Code(wrapped: .limitReached)
        /// No such activity exists, or not any more.
        package static let noSuchActivity = Code(wrapped: .noSuchActivity)
        /// The activity belongs to another client.
        package static let notOwner = Code(wrapped: .notOwner)
        /// The origin goes on with something else by now.
        package static let noLongerCurrent = Code(wrapped: .noLongerCurrent)
        /// No trusted device has that id.
        package static let unknownDevice = Code(wrapped: .unknownDevice)
        /// The card is this device's own.
        package static let ownCard = Code(wrapped: .ownCard)
        /// The card cannot be used.
        package static let invalidCard = Code(wrapped: .invalidCard)
        /// The device did not answer: gone, out of range, or switched off.
        package static let peerUnreachable = Code(wrapped: .peerUnreachable)
        /// The device answered, and refused.
        package static let peerRefused = Code(wrapped: .peerRefused)
        /// The device broke the protocol.
        package static let peerMisbehaved = Code(wrapped: .peerMisbehaved)
        /// The other side holds none of the keys it would need.
        package static let notTrusted = Code(wrapped: .notTrusted)
        /// A step took longer than it may.
        package static let timedOut = Code(wrapped: .timedOut)
        /// The radio cannot be used now.
        package static let radioUnavailable = Code(wrapped: .radioUnavailable)
        /// A person has chosen something else meanwhile.
        package static let userCancelled = Code(wrapped: .userCancelled)
        /// No app here takes the activity, and it has no web page.
        package static let notContinuable = Code(wrapped: .notContinuable)
        /// No app of that name claims that type.
        package static let noSuchApp = Code(wrapped: .noSuchApp)
        /// The app could not be started, crashed, or has not answered.
        package static let appFailed = Code(wrapped: .appFailed)
        /// The app of the activity takes no continuation streams.
        package static let streamsNotSupported = Code(wrapped: .streamsNotSupported)
        /// The activity that was continued has ended at its origin.
        package static let continuationEnded = Code(wrapped: .continuationEnded)
        /// A document lies in no synchronised folder, or leads out of it.
        package static let documentNotShared = Code(wrapped: .documentNotShared)
        /// A document is not there.
        package static let documentMissing = Code(wrapped: .documentMissing)
        /// There is no synchronised folder of that id, or its directory is not there.
        package static let noSuchFolder = Code(wrapped: .noSuchFolder)
        /// The URL of a document, or the path of a folder, has the wrong form.
        package static let invalidDocument = Code(wrapped: .invalidDocument)
        /// A pairing has ended, and the devices are not paired.
        package static let notPaired = Code(wrapped: .notPaired)
        /// The person here has confirmed a pairing, and nobody knows about the one there.
        package static let unconfirmed = Code(wrapped: .unconfirmed)
        /// A file of the state directory cannot be read.
        package static let stateUnreadable = Code(wrapped: .stateUnreadable)
        /// A file of the state directory is not what was written there.
        package static let stateDamaged = Code(wrapped: .stateDamaged)
        /// The state directory cannot be written.
        package static let stateUnwritable = Code(wrapped: .stateUnwritable)
    }

    package let code: Code

    /// What went wrong and what to do, in a sentence for a person.
    package let message: String

    package var description: String { message }

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}
