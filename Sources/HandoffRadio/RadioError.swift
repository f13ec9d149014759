/// An error of a radio: its kind, and a sentence that says what to do.
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

        /// The service that drives the radio (bluetoothd) is not running.
        package static let serviceAbsent = Code(wrapped: .serviceAbsent)
        /// There is no radio hardware.
        package static let noAdapter = Code(wrapped: .noAdapter)
        /// The radio is switched off.
        package static let poweredOff = Code(wrapped: .poweredOff)
        /// The radio is blocked by rfkill.
        package static let blocked = Code(wrapped: .blocked)
        /// The system does not permit this process to use the radio.
        package static let notPermitted = Code(wrapped: .notPermitted)
        /// The radio cannot be used at all, and waiting will not help.
        package static let unusable = Code(wrapped: .unusable)
        /// The radio works but rejected the advertisement.
        package static let advertisingRefused = Code(wrapped: .advertisingRefused)
        /// The radio works but refused to scan.
        package static let scanningRefused = Code(wrapped: .scanningRefused)
        /// The radio works but refused to listen for channels.
        package static let listeningRefused = Code(wrapped: .listeningRefused)
        /// The advertisement is empty or does not fit into a packet; our bug or the caller's.
        package static let invalidAdvertisement = Code(wrapped: .invalidAdvertisement)
        /// The radio allows one such operation at a time, and one is running.
        package static let busy = Code(wrapped: .busy)
        /// The peer did not answer in time: it is gone, or out of range.
        package static let timedOut = Code(wrapped: .timedOut)
        /// The peer was reached but does not listen at that port.
        package static let refused = Code(wrapped: .refused)
        /// The channel is closed, by the peer or because the link was lost.
        package static let channelClosed = Code(wrapped: .channelClosed)
        /// The message is longer than ``RadioChannel/maximumMessageLength``, or empty.
        package static let messageTooLong = Code(wrapped: .messageTooLong)
    }

    package let code: Code

    /// What went wrong and what to do, as one sentence for the user.
    package let message: String

    package var description: String { "\(message) (\(code))" }

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}
