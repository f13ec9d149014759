/// An error of a radio: its kind, and a sentence that says what to do.
package struct RadioError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of a ``RadioError``.
    package enum Code: String, Hashable, Sendable, CustomStringConvertible {
        /// The service that drives the radio (bluetoothd) is not running.
        case serviceAbsent
        /// There is no radio hardware.
        case noAdapter
        /// The radio is switched off.
        case poweredOff
        /// The radio is blocked by rfkill.
        case blocked
        /// The system does not permit this process to use the radio.
        case notPermitted
        /// The radio cannot be used at all, and waiting will not help.
        case unusable
        /// The radio works but rejected the advertisement.
        case advertisingRefused
        /// The radio works but refused to scan.
        case scanningRefused
        /// The radio works but refused to listen for channels.
        case listeningRefused
        /// The advertisement is empty or does not fit into a packet; our bug or the caller's.
        case invalidAdvertisement
        /// The radio allows one such operation at a time, and one is running.
        case busy
        /// The peer did not answer in time: it is gone, or out of range.
        case timedOut
        /// The peer was reached but does not listen at that port.
        case refused
        /// The channel is closed, by the peer or because the link was lost.
        case channelClosed
        /// The message is longer than ``RadioChannel/maximumMessageLength``, or empty.
        case messageTooLong

        /// The name of the code in messages and logs.
        package var description: String { rawValue }
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
