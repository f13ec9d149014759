/// The error of this module: what the extension has sent that the host does not accept.
package struct BrowserError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of what was wrong.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The name of the code in messages to the extension, which stays the same.
        package let description: String

        private init(_ description: String) {
            self.description = description
        }

        /// A message is longer than ``MessageReader/maximumBytes``; what follows it cannot be found.
        package static let messageTooLarge = Code("messageTooLarge")
        /// More messages come than ``MessageRate`` allows.
        package static let tooManyMessages = Code("tooManyMessages")
        /// A message is not JSON in UTF-8, or lacks a key, or has a value that is not allowed.
        package static let invalidMessage = Code("invalidMessage")
        /// A message has a type that this version does not know.
        package static let unknownMessage = Code("unknownMessage")
        /// The extension speaks another version of the protocol.
        package static let unsupportedProtocol = Code("unsupportedProtocol")
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
