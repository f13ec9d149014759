package import DBus

/// The menu as it is on the bus: items with numbers, which a host asks for (com.canonical.dbusmenu, version 3).
package struct MenuLayout: Sendable {
    /// What has to be told to hosts after a change.
    package struct Changes: Hashable, Sendable {
        /// The items whose properties have other values, and these.
        package var updated: [Int32: [String: Value]] = [:]
        /// The items that have properties no more, and the names of these.
        package var removed: [Int32: [String]] = [:]
        /// The item below which items came, went or moved; nil when none did.
        package var parent: Int32?

        package var isEmpty: Bool { updated.isEmpty && removed.isEmpty && parent == nil }
    }

    private struct Node {
        let properties: [String: Value]
        let children: [Int32]
        let command: DesktopCommand?
    }

    /// The number of the whole menu.
    package static let root: Int32 = 0

    /// Counts the changes of which items there are.
    package private(set) var revision: UInt32 = 1
    private var nodes: [Int32: Node] = [
        root: Node(properties: MenuItem(.root, "").properties, children: [], command: nil)
    ]
    private var numbers: [MenuItem.Key: Int32] = [.root: root]
    private var lastNumber = root

    /// Makes a menu without items.
    package init() {}

    /// Replaces the menu; returns what has changed.
    ///
    /// An item keeps its number while it is in the menu. A number is not given to another item, so that a late click is
    /// never one on another item.
    package mutating func replace(with menu: MenuItem) -> Changes {
        let old = nodes
        var found: [MenuItem.Key: Int32] = [:]
        nodes = [:]
        add(menu, &found)
        numbers = found
        let changes = Self.changes(from: old, to: nodes)
        if changes.parent != nil { revision &+= 1 }
        return changes
    }

    /// Returns what a click on an item does; nil if there is no such item, or it cannot be clicked.
    package func command(of id: Int32) -> DesktopCommand? { nodes[id]?.command }

    /// Whether there is an item with that number.
    package func contains(_ id: Int32) -> Bool { nodes[id] != nil }

    /// Returns an item and those below it, as `(ia{sv}av)`.
    ///
    /// - Parameters:
    ///   - id: its number.
    ///   - depth: how many levels below it are included; negative for all.
    ///   - names: the properties that are included; empty for all.
    /// - Returns: nil if there is no such item.
    package func layout(of id: Int32, depth: Int32, names: [String]) -> Value? {
        guard let node = nodes[id] else { return nil }
        let children = depth == 0 ? [] : node.children
        return .structure([
            .int32(id), Self.only(names, node.properties).value,
            children.compactMap { layout(of: $0, depth: depth < 0 ? depth : depth - 1, names: names) }.value,
        ])
    }

    /// Returns the properties of items, by number; those of all if `ids` is empty.
    ///
    /// Unknown numbers are left out.
    package func properties(of ids: [Int32], names: [String]) -> [(id: Int32, properties: [String: Value])] {
        (ids.isEmpty ? nodes.keys.sorted() : ids).compactMap { id in
            nodes[id].map { (id, Self.only(names, $0.properties)) }
        }
    }

    private mutating func add(_ item: MenuItem, _ found: inout [MenuItem.Key: Int32]) {
        let id = number(of: item.key)
        found[item.key] = id
        for child in item.children { add(child, &found) }
        let children = item.children.compactMap { found[$0.key] }
        nodes[id] = Node(properties: item.properties, children: children, command: item.command)
    }

    private mutating func number(of key: MenuItem.Key) -> Int32 {
        if let number = numbers[key] { return number }
        lastNumber += 1
        return lastNumber
    }

    private static func changes(from old: [Int32: Node], to new: [Int32: Node]) -> Changes {
        var changes = Changes()
        var parents: [Int32] = []
        for (id, node) in new {
            guard let before = old[id] else { continue }
            if before.children != node.children { parents.append(id) }
            let updated = node.properties.filter { before.properties[$0.key] != $0.value }
            if !updated.isEmpty { changes.updated[id] = updated }
            let removed = before.properties.keys.filter { node.properties[$0] == nil }
            if !removed.isEmpty { changes.removed[id] = removed.sorted() }
        }
        if !parents.isEmpty { changes.parent = parents.count == 1 ? parents[0] : root }
        return changes
    }

    private static func only(_ names: [String], _ properties: [String: Value]) -> [String: Value] {
        names.isEmpty ? properties : properties.filter { names.contains($0.key) }
    }
}
