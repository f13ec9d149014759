/// The error of this module: which rule of the model a value violates, and what to do.
package struct ModelError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of rule that was violated.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The name of the code in messages and logs.
        package let description: String

        private init(_ description: String) {
            self.description = description
        }

        /// The activity type is not a reverse-DNS name.
        package static let invalidActivityType = Code("invalidActivityType")
        /// The web page address is not an http or https URL with a host.
        package static let invalidWebpageURL = Code("invalidWebpageURL")
        /// The title is longer than ``ActivityLimits/titleBytes``.
        package static let titleTooLong = Code("titleTooLong")
        /// userInfo nests deeper than ``ActivityLimits/nestingDepth``.
        package static let userInfoTooDeep = Code("userInfoTooDeep")
        /// A value or a string is not one that every device can represent.
        package static let invalidValue = Code("invalidValue")
        /// The encoded activity is larger than ``ActivityLimits/maximumPayloadBytes``.
        package static let payloadTooLarge = Code("payloadTooLarge")
        /// The device name is empty, too long or not printable.
        package static let invalidName = Code("invalidName")
        /// A device, team, content or type identifier has the wrong form.
        package static let invalidIdentifier = Code("invalidIdentifier")
        /// The id of a synchronised folder has the wrong form.
        package static let invalidFolder = Code("invalidFolder")
        /// A URL of a file has the wrong form.
        package static let invalidFileURL = Code("invalidFileURL")
        /// The date has the wrong form or is out of range.
        package static let invalidDate = Code("invalidDate")
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
