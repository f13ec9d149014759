/// An error of a radio: which kind, and a sentence that says what to do.
package struct RadioError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of a ``RadioError``; a struct, so that kinds can be added.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Wrapped: String {
            case serviceAbsent, noAdapter, poweredOff, blocked, notPermitted, unusable
            case advertisingRefused, scanningRefused, listeningRefused, invalidAdvertisement, busy
            case timedOut, refused, channelClosed, messageTooLong
        }

        private let wrapped: Wrapped

        package var description: String { wrapped.rawValue }

        /// The service that drives the radio (bluetoothd) does not run.
        package static let serviceAbsent = Code(wrapped: .serviceAbsent)
        /// There is no radio hardware.
        package static let noAdapter = Code(wrapped: .noAdapter)
        /// The radio is switched off.
        package static let poweredOff = Code(wrapped: .poweredOff)
        /// The radio is blocked by rfkill.
        package static let blocked = Code(wrapped: .blocked)
        /// The system does not let this process use the radio.
        package static let notPermitted = Code(wrapped: .notPermitted)
        /// The radio cannot be used at all, and waiting will not help.
        package static let unusable = Code(wrapped: .unusable)
        /// The radio works but did not take the advertisement.
        package static let advertisingRefused = Code(wrapped: .advertisingRefused)
        /// The radio works but would not scan.
        package static let scanningRefused = Code(wrapped: .scanningRefused)
        /// The radio works but would not listen for channels.
        package static let listeningRefused = Code(wrapped: .listeningRefused)
        /// The advertisement does not fit the air; our bug or the caller's.
        package static let invalidAdvertisement = Code(wrapped: .invalidAdvertisement)
        /// The radio does one of these at a time, and one is being done.
        package static let busy = Code(wrapped: .busy)
        /// Nobody answered in time: the peer is gone, or out of range.
        package static let timedOut = Code(wrapped: .timedOut)
        /// The peer is there and nobody listens at that port.
        package static let refused = Code(wrapped: .refused)
        /// The channel is closed, by the peer or because the link was lost.
        package static let channelClosed = Code(wrapped: .channelClosed)
        /// The message is longer than ``RadioChannel/maximumMessageLength``, or empty.
        package static let messageTooLong = Code(wrapped: .messageTooLong)
    }

    package let code: Code

    /// What went wrong and what to do, in a sentence for a person.
    package let message: String

    package var description: String { "\(message) (\(code))" }

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}
