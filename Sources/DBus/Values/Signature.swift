/// A list of zero or more complete types that describes the arguments of a message.
package struct Signature: Hashable, Sendable, CustomStringConvertible {
    /// The maximum length of a signature in bytes (D-Bus specification, "Valid Signatures").
    package static let maximumLength = 255

    /// The types, in order.
    package let types: [ValueType]

    /// The text of the signature, such as `sa{sv}as`.
    package let description: String

    /// Parses `string`.
    ///
    /// - Throws: `DBusError.Code.invalidName` if it is not a signature, longer than 255 bytes, or nested deeper than 32
    ///   arrays or 32 structures.
    package init(_ string: String) throws(DBusError) {
        var parser = SignatureParser(string)
        types = try parser.types()
        description = string
    }

    /// Creates the signature of values of the given types.
    ///
    /// - Throws: as `init(_:)`; and if a dictionary's key is not basic, or a structure has no fields.
    package init(_ types: [ValueType]) throws(DBusError) {
        try self.init(types.map(\.description).joined())
    }
}
