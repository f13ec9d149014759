/// The name of a connection on the bus: a unique one such as `:1.42`, or a well-known one such as `org.bluez`.
package struct BusName: ValidatedName {
    package static let noun = "bus name"

    /// The bus itself (D-Bus specification, "Message Bus Messages").
    package static let bus = BusName(trusted: "org.freedesktop.DBus")

    package let description: String

    package init(trusted: String) {
        description = trusted
    }

    package static func fault(in text: String) -> String? {
        if text.utf8.count > NameSyntax.maximumLength { return "it is longer than \(NameSyntax.maximumLength) bytes" }
        let isUnique = text.utf8.first == UInt8(ascii: ":")
        return NameSyntax.fault(inDotted: text.dropFirst(isUnique ? 1 : 0), digitsFirst: isUnique, hyphens: true)
    }

    /// Whether this is a unique name, which the bus assigns to one connection and never reuses.
    package var isUnique: Bool {
        description.utf8.first == UInt8(ascii: ":")
    }
}
