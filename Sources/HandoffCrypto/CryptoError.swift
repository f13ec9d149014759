/// The error of this module: which key, message or card could not be used, and what to do.
package struct CryptoError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of fault.
    package enum Code: String, Hashable, Sendable, CustomStringConvertible {
        /// A key has the wrong length, or is not in the one form that is allowed.
        case invalidKey
        /// A public key is of low order: its secrets are all zero (RFC 7748, section 6.1), or anybody can sign for it.
        case weakKey
        /// A message was changed in transit, or is meant for another device.
        case authenticationFailed
        /// A message is too short or too long.
        case malformed
        /// A handshake step was called out of order; our bug.
        case outOfOrder
        /// A key has been used with every allowed nonce.
        case nonceExhausted
        /// The text is not a card.
        case notACard
        /// The text is a card with a typing or copying mistake.
        case damagedCard
        /// The card was made by an older version.
        case olderCard
        /// The card was made by a newer version.
        case newerCard
        /// A name does not fit a card.
        case invalidName

        /// The name of the code in messages and logs.
        package var description: String { rawValue }
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
