import HandoffModel

/// The error of this module: why received bytes are invalid.
///
/// It is the peer's bug, so the session is dropped.
package struct WireError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of fault.
    package enum Code: String, Hashable, Sendable, CustomStringConvertible {
        /// More bytes than allowed.
        case tooLarge
        /// A frame without bytes.
        case emptyFrame
        /// A frame that is longer than the reader allows.
        case longFrame
        /// A fragment without a flag or with an unknown one, or an empty one that is not the last.
        case invalidFragment
        /// Padding that has another size than those of the protocol, holds other bytes than zeros, or is too short for the
        /// length of its message.
        case invalidPadding
        /// Bytes that are not a message, or are truncated.
        case malformed
        /// A well-formed message with invalid content.
        case invalidContent
        /// A kind of message that only a newer version knows.
        case unknownKind

        /// The name of the code in messages and logs.
        package var description: String { rawValue }
    }

    /// The kind of fault.
    package let code: Code

    /// What was wrong, as one sentence for a log.
    package let message: String

    /// Makes an error of the given kind.
    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { "\(code): \(message)" }

    /// Makes the error for a message whose content violates the model.
    init(_ error: ModelError) {
        self.init(error.code == .payloadTooLarge ? .tooLarge : .invalidContent, error.message)
    }
}
