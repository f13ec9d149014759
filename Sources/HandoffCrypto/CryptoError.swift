/// The error of this module: which key, message or card could not be used, and what to do.
package struct CryptoError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of fault.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The name of the code in messages and logs.
        package let description: String

        private init(_ description: String) {
            self.description = description
        }

        /// A key has the wrong length, or is not in the one form that is allowed.
        package static let invalidKey = Code("invalidKey")
        /// A public key is of low order: its secrets are all zero (RFC 7748, section 6.1), or anybody can sign for it.
        package static let weakKey = Code("weakKey")
        /// A message was changed in transit, or is meant for another device.
        package static let authenticationFailed = Code("authenticationFailed")
        /// A message is too short or too long.
        package static let malformed = Code("malformed")
        /// A handshake step was called out of order; our bug.
        package static let outOfOrder = Code("outOfOrder")
        /// A key has been used with every allowed nonce.
        package static let nonceExhausted = Code("nonceExhausted")
        /// The text is not a card.
        package static let notACard = Code("notACard")
        /// The text is a card with a typing or copying mistake.
        package static let damagedCard = Code("damagedCard")
        /// The card was made by an older version.
        package static let olderCard = Code("olderCard")
        /// The card was made by a newer version.
        package static let newerCard = Code("newerCard")
        /// A name does not fit a card.
        package static let invalidName = Code("invalidName")
    }

    /// The kind of fault.
    package let code: Code

    /// What was wrong and what to do, as one sentence for a person.
    package let message: String

    /// Makes an error of the given kind.
    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { "\(code): \(message)" }
}
