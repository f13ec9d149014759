import HandoffModel

/// The error of this module: why received bytes are invalid.
///
/// It is the peer's bug, so the session is dropped.
package struct WireError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of fault.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The name of the code in messages and logs.
        package let description: String

        private init(_ description: String) {
            self.description = description
        }

        /// More bytes than allowed.
        package static let tooLarge = Code("tooLarge")
        /// A frame without bytes.
        package static let emptyFrame = Code("emptyFrame")
        /// A frame that is longer than the reader allows.
        package static let longFrame = Code("longFrame")
        /// A fragment without a flag or with an unknown one, or an empty one that is not the last.
        package static let invalidFragment = Code("invalidFragment")
        /// Padding that has another size than those of the protocol, holds other bytes than zeros, or is too short for the
        /// length of its message.
        package static let invalidPadding = Code("invalidPadding")
        /// Bytes that are not a message, or are truncated.
        package static let malformed = Code("malformed")
        /// A well-formed message with invalid content.
        package static let invalidContent = Code("invalidContent")
        /// A kind of message that only a newer version knows.
        package static let unknownKind = Code("unknownKind")
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
