package import DBus

/// An item of the menu, with those below it.
package struct MenuItem: Hashable, Sendable {
    /// What the item is about: as long as it is in the menu, it keeps its number there.
    package enum Key: Hashable, Sendable {
        case root
        case activity(ObjectPath)
        case cancellation(ObjectPath)
        case device(ObjectPath)
        /// A line of text, by its part of the menu and its place there.
        case line(String, Int)
        /// A fixed item, by its name.
        case fixed(String)
        case separator(String)
    }

    package enum Kind: Hashable, Sendable {
        case standard
        case separator
        case checkmark(Bool)
    }

    package let key: Key
    package let kind: Kind
    package let label: String
    /// The name or path of an icon; empty for none.
    package let icon: String
    /// What a click does; an item without a command and without items below it cannot be clicked.
    package let command: DesktopCommand?
    package let children: [MenuItem]

    /// Makes an item of a text that may contain anything.
    package init(
        _ key: Key,
        _ label: String,
        kind: Kind = .standard,
        icon: String = "",
        command: DesktopCommand? = nil,
        children: [MenuItem] = []
    ) {
        (self.key, self.kind, self.label) = (key, kind, label)
        (self.icon, self.command, self.children) = (icon, command, children)
    }

    /// Makes a line between items.
    package static func separator(_ name: String) -> MenuItem {
        MenuItem(.separator(name), "", kind: .separator)
    }

    /// The properties of the item on the bus; those with their default value are left out (com.canonical.dbusmenu,
    /// "Properties").
    package var properties: [String: Value] {
        if key == .root { return ["children-display": .string("submenu")] }
        if kind == .separator { return ["type": .string("separator")] }
        var properties: [String: Value] = ["label": .string(Self.withoutMnemonics(label))]
        if !children.isEmpty { properties["children-display"] = .string("submenu") }
        if command == nil, children.isEmpty { properties["enabled"] = .boolean(false) }
        if !icon.isEmpty { properties["icon-name"] = .string(icon) }
        if case .checkmark(let isSet) = kind {
            properties["toggle-type"] = .string("checkmark")
            properties["toggle-state"] = .int32(isSet ? 1 : 0)
        }
        return properties
    }

    /// The label with each underscore doubled: one alone marks the letter that a key chooses.
    private static func withoutMnemonics(_ label: String) -> String {
        label.unicodeScalars.reduce(into: "") { result, scalar in
            if scalar == "_" { result.unicodeScalars.append(scalar) }
            result.unicodeScalars.append(scalar)
        }
    }
}
