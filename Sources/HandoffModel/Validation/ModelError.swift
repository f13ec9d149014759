/// The error of this module: which rule of the model a value violates, and what to do.
package struct ModelError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of rule that was violated.
    package enum Code: String, Hashable, Sendable, CustomStringConvertible {
        /// The activity type is not a reverse-DNS name.
        case invalidActivityType
        /// The web page address is not an http or https URL with a host.
        case invalidWebpageURL
        /// The title is longer than ``ActivityLimits/titleBytes``.
        case titleTooLong
        /// userInfo nests deeper than ``ActivityLimits/nestingDepth``.
        case userInfoTooDeep
        /// A value or a string is not one that every device can represent.
        case invalidValue
        /// The encoded activity is larger than ``ActivityLimits/maximumPayloadBytes``.
        case payloadTooLarge
        /// The device name is empty, too long or not printable.
        case invalidName
        /// A device, team, content or type identifier has the wrong form.
        case invalidIdentifier
        /// The id of a synchronised folder has the wrong form.
        case invalidFolder
        /// A URL of a file has the wrong form.
        case invalidFileURL
        /// The date has the wrong form or is out of range.
        case invalidDate

        /// The name of the code in messages and logs.
        package var description: String { rawValue }
    }

    /// The kind of rule that was violated.
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
