import HandoffModel

/// Says why bytes are not what they should be; it is the peer's bug, so the session is dropped.
package struct WireError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of fault.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The name of the code as it stands in messages and logs.
        package let description: String

        private init(_ description: String) {
            self.description = description
        }

        /// More bytes than this kind of thing may have.
        package static let tooLarge = Code("tooLarge")
        /// Bytes that are not a message, or that end too early.
        package static let malformed = Code("malformed")
        /// A well-formed message that says something impossible.
        package static let invalidContent = Code("invalidContent")
        /// A message of a kind that only a newer version knows.
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

    /// The fault of a message whose content breaks a rule of the model.
    init(_ error: ModelError) {
        self.init(error.code == .payloadTooLarge ? .tooLarge : .invalidContent, error.message)
    }
}
