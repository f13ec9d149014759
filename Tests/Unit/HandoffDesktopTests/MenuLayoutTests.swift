import DBus
import HandoffBus
import HandoffDesktop
import TestLimits
import Testing

@Suite("The menu on the bus", .endsWithin(minutes: 10))
struct MenuLayoutTests {
    private func item(_ name: String, _ label: String, children: [MenuItem] = []) -> MenuItem {
        MenuItem(.fixed(name), label, command: .pair, children: children)
    }

    private func menu(_ items: MenuItem...) -> MenuItem { MenuItem(.root, "", children: items) }

    /// The number and the label of each item below the root.
    private func items(_ layout: MenuLayout) -> [Int32: String] {
        let all = layout.properties(of: [], names: ["label"])
        return Dictionary(all.map { ($0.id, $0.properties["label"]?.string ?? "") }) { first, _ in first }
    }

    @Test("An item keeps its number while others come and go, and no number is given twice")
    func numbers() {
        var layout = MenuLayout()
        _ = layout.replace(with: menu(item("a", "A"), item("b", "B")))
        #expect(items(layout) == [0: "", 1: "A", 2: "B"])
        _ = layout.replace(with: menu(item("c", "C"), item("b", "B")))
        #expect(items(layout) == [0: "", 2: "B", 3: "C"])
        _ = layout.replace(with: menu(item("a", "A"), item("b", "B")))
        #expect(items(layout) == [0: "", 2: "B", 4: "A"])
        #expect(layout.command(of: 1) == nil && layout.command(of: 4) == .pair)
    }

    @Test("Only what has changed is told: properties, or below which item items came or went")
    func changes() {
        var layout = MenuLayout()
        let first = layout.replace(with: menu(item("a", "A"), item("s", "S", children: [item("x", "X")])))
        #expect(first.parent == 0 && layout.revision == 2)
        #expect(layout.replace(with: menu(item("a", "A"), item("s", "S", children: [item("x", "X")]))).isEmpty)
        #expect(layout.revision == 2)
        var changes = layout.replace(with: menu(item("a", "A2"), item("s", "S", children: [item("x", "X")])))
        #expect(changes.updated == [1: ["label": .string("A2")]] && changes.parent == nil && layout.revision == 2)
        changes = layout.replace(
            with: menu(item("a", "A2"), item("s", "S", children: [item("x", "X"), item("y", "Y")]))
        )
        #expect(changes.parent == 2 && changes.updated.isEmpty && layout.revision == 3)
        changes = layout.replace(
            with: menu(
                MenuItem(.fixed("a"), "A2", icon: "i"),
                item("s", "S", children: [item("y", "Y"), item("x", "X")])
            )
        )
        #expect(changes.updated == [1: ["enabled": .boolean(false), "icon-name": .string("i")]])
        #expect(changes.removed.isEmpty && changes.parent == 2)
        changes = layout.replace(with: menu(item("a", "A2"), item("z", "Z")))
        #expect(changes.removed == [1: ["enabled", "icon-name"]] && changes.parent == 0)
    }

    @Test("A host that applies what it is told has the menu", arguments: 0..<20)
    func host(_ seed: Int) throws {
        var (layout, generator) = (MenuLayout(), Seeded(state: UInt64(seed) + 1))
        // A host begins with the menu as it is.
        let first = layout.properties(of: [], names: [])
        var known = Dictionary(first.map { ($0.id, $0.properties) }) { first, _ in first }
        for _ in 0..<30 {
            let names = ["a", "b", "c", "d", "e"].shuffled(using: &generator).prefix(Int(generator.next() % 6))
            let items = names.map { name in
                let below = Bool.random(using: &generator) ? [item(name + "1", "\(generator.next() % 2)")] : []
                return item(name, "\(generator.next() % 3)", children: below)
            }
            let changes = layout.replace(with: MenuItem(.root, "", children: items))
            for (id, properties) in changes.updated { known[id]?.merge(properties) { $1 } }
            for (id, names) in changes.removed { for name in names { known[id]?[name] = nil } }
            if changes.parent != nil {
                // A host asks for the items that it does not know, and forgets those that are gone.
                let all = layout.properties(of: [], names: [])
                known = Dictionary(all.map { ($0.id, known[$0.id] ?? $0.properties) }) { first, _ in first }
            }
            let expected = layout.properties(of: [], names: [])
            #expect(known == Dictionary(expected.map { ($0.id, $0.properties) }) { first, _ in first })
        }
    }

    @Test(
        "A layout has as many levels as asked for, with the properties asked for",
        arguments: [
            (Int32(-1), 2), (0, 0), (1, 1), (2, 2),
        ]
    )
    func depth(_ depth: Int32, _ levels: Int) throws {
        var layout = MenuLayout()
        _ = layout.replace(with: menu(item("s", "S", children: [item("x", "X")])))
        var node = try #require(layout.layout(of: 0, depth: depth, names: ["label"]))
        #expect(node.type.description == "(ia{sv}av)")
        var found = 0
        while let child = node.structure?[2].array?.first?.unwrapped {
            #expect(child.structure?[1].stringDictionary?.keys.map(\.self) == ["label"])
            (node, found) = (child, found + 1)
        }
        #expect(found == levels)
        #expect(layout.layout(of: 9, depth: depth, names: []) == nil)
    }

    @Test("An underscore in a label marks no key, and a line is a separator")
    func labels() {
        #expect(item("a", "a_b__c").properties["label"] == .string("a__b____c"))
        #expect(MenuItem.separator("x").properties == ["type": .string("separator")])
        #expect(MenuItem(.fixed("a"), "A").properties["enabled"] == .boolean(false))
        let check = MenuItem(.fixed("a"), "A", kind: .checkmark(true), command: .resume).properties
        #expect(check["toggle-type"] == .string("checkmark") && check["toggle-state"] == .int32(1))
    }
}

/// Numbers that are the same in each run (xorshift64).
private struct Seeded: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
}
