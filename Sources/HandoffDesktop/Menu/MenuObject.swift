import DBus
import Synchronization

/// The menu on the bus, `com.canonical.dbusmenu`.
///
/// Its methods run on the loop's thread; none blocks.
final class MenuObject: Sendable {
    static let path: ObjectPath = "/MenuBar"
    private static let interface: InterfaceName = "com.canonical.dbusmenu"

    private let layout = Mutex(MenuLayout())
    private let connection: Connection
    /// Does what a clicked item stands for; must not block.
    private let perform: @Sendable (DesktopCommand) -> Void
    /// Is called when a host is about to show the menu; must not block.
    private let willShow: @Sendable () -> Void

    init(
        connection: Connection,
        willShow: @escaping @Sendable () -> Void,
        perform: @escaping @Sendable (DesktopCommand) -> Void
    ) {
        (self.connection, self.willShow, self.perform) = (connection, willShow, perform)
    }

    /// Replaces the menu, and tells hosts what has changed.
    func show(_ menu: MenuItem) {
        layout.withLock { layout in
            let changes = layout.replace(with: menu)
            // Under the lock, so that signals are in the order of the changes.
            if !changes.updated.isEmpty || !changes.removed.isEmpty {
                emit("ItemsPropertiesUpdated", [Self.list(changes.updated), Self.list(changes.removed)])
            }
            if let parent = changes.parent { emit("LayoutUpdated", [.uint32(layout.revision), .int32(parent)]) }
        }
    }

    /// The interface, for the object at ``path``.
    var description: Interface {
        let ids = Argument(name: "ids", type: [Int32].valueType)
        let names = Argument(name: "propertyNames", type: [String].valueType)
        return Interface(
            name: Self.interface,
            methods: [getLayout(names), getGroupProperties(ids, names), getProperty, event, eventGroup]
                + [aboutToShow, aboutToShowGroup(ids)],
            properties: properties,
            signals: Self.signals
        )
    }

    private func emit(_ member: MemberName, _ arguments: [Value]) {
        connection.emit(Signal(path: Self.path, interface: Self.interface, member: member, arguments: arguments))
    }

    // MARK: Reading

    private func getLayout(_ names: Argument) -> Method {
        Method(
            name: "GetLayout",
            inputs: [Argument(name: "parentId", type: .int32), Argument(name: "recursionDepth", type: .int32), names],
            outputs: [
                Argument(name: "revision", type: .uint32),
                Argument(name: "layout", type: .structure([.int32, [String: Value].valueType, .array(.variant)])),
            ]
        ) { invocation in
            let id = try invocation.arguments.decode(at: 0, as: Int32.self)
            let depth = try invocation.arguments.decode(at: 1, as: Int32.self)
            let names = try invocation.arguments.decode(at: 2, as: [String].self)
            return try self.layout.withLock { layout in
                guard let items = layout.layout(of: id, depth: depth, names: names) else { throw Self.noItem(id) }
                return .reply([.uint32(layout.revision), items])
            }
        }
    }

    private func getGroupProperties(_ ids: Argument, _ names: Argument) -> Method {
        let item = ValueType.structure([.int32, [String: Value].valueType])
        return Method(
            name: "GetGroupProperties",
            inputs: [ids, names],
            outputs: [Argument(name: "properties", type: .array(item))]
        ) { invocation in
            let ids = try invocation.arguments.decode(at: 0, as: [Int32].self)
            let names = try invocation.arguments.decode(at: 1, as: [String].self)
            let found = self.layout.withLock { $0.properties(of: ids, names: names) }
            return .reply([.array(of: item, found.map { .structure([.int32($0.id), $0.properties.value]) })])
        }
    }

    private var getProperty: Method {
        Method(
            name: "GetProperty",
            inputs: [Argument(name: "id", type: .int32), Argument(name: "name", type: .string)],
            outputs: [Argument(name: "value", type: .variant)]
        ) { invocation in
            let id = try invocation.arguments.decode(at: 0, as: Int32.self)
            let name = try invocation.arguments.decode(at: 1, as: String.self)
            guard let found = self.layout.withLock({ $0.properties(of: [id], names: [name]) }).first else {
                throw Self.noItem(id)
            }
            guard let value = found.properties[name] else {
                throw DBusError.failure(.invalidArgs, "the item \(id) has no property \(name.debugDescription)")
            }
            return .reply([.variant(value)])
        }
    }

    // MARK: Clicks

    private var event: Method {
        Method(
            name: "Event",
            inputs: [
                Argument(name: "id", type: .int32), Argument(name: "eventId", type: .string),
                Argument(name: "data", type: .variant), Argument(name: "timestamp", type: .uint32),
            ]
        ) { invocation in
            let id = try invocation.arguments.decode(at: 0, as: Int32.self)
            guard self.handle(id, try invocation.arguments.decode(at: 1, as: String.self)) else {
                throw Self.noItem(id)
            }
            return .reply([])
        }
    }

    private var eventGroup: Method {
        let event = ValueType.structure([.int32, .string, .variant, .uint32])
        return Method(
            name: "EventGroup",
            inputs: [Argument(name: "events", type: .array(event))],
            outputs: [Argument(name: "idErrors", type: [Int32].valueType)]
        ) { invocation in
            let events = (invocation.arguments[0].array ?? []).compactMap(\.structure)
            let unknown = events.compactMap { event -> Int32? in
                guard let id = event[0].int32, let name = event[1].string else { return nil }
                return self.handle(id, name) ? nil : id
            }
            return .reply([unknown.value])
        }
    }

    /// Handles an event; returns false if there is no such item.
    private func handle(_ id: Int32, _ event: String) -> Bool {
        let (exists, command) = layout.withLock { ($0.contains(id), $0.command(of: id)) }
        if event == "clicked", let command { perform(command) }
        if event == "opened", id == MenuLayout.root { willShow() }
        return exists
    }

    private var aboutToShow: Method {
        Method(
            name: "AboutToShow",
            inputs: [Argument(name: "id", type: .int32)],
            outputs: [Argument(name: "needUpdate", type: .boolean)]
        ) { invocation in
            let id = try invocation.arguments.decode(at: 0, as: Int32.self)
            guard self.layout.withLock({ $0.contains(id) }) else { throw Self.noItem(id) }
            if id == MenuLayout.root { self.willShow() }
            // What is read anew for it comes as signals.
            return .reply([.boolean(false)])
        }
    }

    private func aboutToShowGroup(_ ids: Argument) -> Method {
        Method(
            name: "AboutToShowGroup",
            inputs: [ids],
            outputs: [
                Argument(name: "updatesNeeded", type: [Int32].valueType),
                Argument(name: "idErrors", type: [Int32].valueType),
            ]
        ) { invocation in
            let ids = try invocation.arguments.decode(at: 0, as: [Int32].self)
            let unknown = self.layout.withLock { layout in ids.filter { !layout.contains($0) } }
            if ids.contains(MenuLayout.root) { self.willShow() }
            return .reply([[Int32]().value, unknown.value])
        }
    }

    // MARK: What does not change

    private var properties: [Property] {
        [
            Property(name: "Version", type: .uint32, changes: .constant) { .uint32(3) },
            Property(name: "TextDirection", type: .string, changes: .constant) { .string("ltr") },
            Property(name: "Status", type: .string, changes: .constant) { .string("normal") },
            Property(name: "IconThemePath", type: [String].valueType, changes: .constant) { [String]().value },
        ]
    }

    private static let signals = [
        SignalDescription(
            name: "ItemsPropertiesUpdated",
            arguments: [
                Argument(name: "updatedProps", type: .array(.structure([.int32, [String: Value].valueType]))),
                Argument(name: "removedProps", type: .array(.structure([.int32, [String].valueType]))),
            ]
        ),
        SignalDescription(
            name: "LayoutUpdated",
            arguments: [Argument(name: "revision", type: .uint32), Argument(name: "parent", type: .int32)]
        ),
        SignalDescription(
            name: "ItemActivationRequested",
            arguments: [Argument(name: "id", type: .int32), Argument(name: "timestamp", type: .uint32)]
        ),
    ]

    private static func list<Content: ValueConvertible>(_ items: [Int32: Content]) -> Value {
        let values = items.sorted { $0.key < $1.key }.map { Value.structure([.int32($0.key), $0.value.value]) }
        return .array(of: .structure([.int32, Content.valueType]), values)
    }

    private static func noItem(_ id: Int32) -> DBusError {
        .failure(.invalidArgs, "the menu has no item \(id)")
    }
}
