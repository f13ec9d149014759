/// The name of an interface, such as `org.freedesktop.DBus.Properties`.
package struct InterfaceName: ValidatedName {
    package static let noun = "interface name"

    package let description: String

    package init(trusted: String) {
        description = trusted
    }

    package static func fault(in text: String) -> String? {
        NameSyntax.fault(inDotted: text[...])
    }
}

extension InterfaceName {
    /// The interface of the bus itself.
    package static let bus: InterfaceName = "org.freedesktop.DBus"
    package static let introspectable: InterfaceName = "org.freedesktop.DBus.Introspectable"
    package static let objectManager: InterfaceName = "org.freedesktop.DBus.ObjectManager"
    package static let peer: InterfaceName = "org.freedesktop.DBus.Peer"
    package static let properties: InterfaceName = "org.freedesktop.DBus.Properties"
}
