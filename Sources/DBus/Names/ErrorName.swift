/// The name of an error on the bus, such as `org.freedesktop.DBus.Error.Failed`.
package struct ErrorName: ValidatedName {
    package static let noun = "error name"

    package let description: String

    package init(trusted: String) {
        description = trusted
    }

    package static func fault(in text: String) -> String? {
        NameSyntax.fault(inDotted: text[...])
    }
}

/// The errors that the bus and the reference implementation use (dbus/dbus-protocol.h).
extension ErrorName {
    package static let accessDenied: ErrorName = "org.freedesktop.DBus.Error.AccessDenied"
    package static let failed: ErrorName = "org.freedesktop.DBus.Error.Failed"
    package static let invalidArgs: ErrorName = "org.freedesktop.DBus.Error.InvalidArgs"
    package static let limitsExceeded: ErrorName = "org.freedesktop.DBus.Error.LimitsExceeded"
    package static let nameHasNoOwner: ErrorName = "org.freedesktop.DBus.Error.NameHasNoOwner"
    package static let noReply: ErrorName = "org.freedesktop.DBus.Error.NoReply"
    package static let notSupported: ErrorName = "org.freedesktop.DBus.Error.NotSupported"
    package static let propertyReadOnly: ErrorName = "org.freedesktop.DBus.Error.PropertyReadOnly"
    package static let serviceUnknown: ErrorName = "org.freedesktop.DBus.Error.ServiceUnknown"
    package static let unknownInterface: ErrorName = "org.freedesktop.DBus.Error.UnknownInterface"
    package static let unknownMethod: ErrorName = "org.freedesktop.DBus.Error.UnknownMethod"
    package static let unknownObject: ErrorName = "org.freedesktop.DBus.Error.UnknownObject"
    package static let unknownProperty: ErrorName = "org.freedesktop.DBus.Error.UnknownProperty"
}
