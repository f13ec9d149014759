/// The error of this module: what the extension has sent that the host does not accept.
package struct BrowserError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of what was wrong.
    package enum Code: String, Hashable, Sendable, CustomStringConvertible {
        /// A message is longer than ``MessageReader/maximumBytes``; what follows it cannot be found.
        case messageTooLarge
        /// More messages come than ``MessageRate`` allows.
        case tooManyMessages
        /// A message is not JSON in UTF-8, or lacks a key, or has a value that is not allowed.
        case invalidMessage
        /// A message has a type that this version does not know.
        case unknownMessage
        /// The extension speaks another version of the protocol.
        case unsupportedProtocol

        /// The name of the code in messages to the extension, which stays the same.
        package var description: String { rawValue }
    }

    /// The kind of what was wrong.
    package let code: Code

    /// What was wrong and what to do, as a sentence for a person.
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { message }
}
