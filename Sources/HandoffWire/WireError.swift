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
