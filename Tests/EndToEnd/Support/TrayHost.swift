import DBus
import HandoffTestSupport
import TestRuns

/// A panel: a watcher with which tray items are registered, and a host that shows their menus.
struct TrayHost: Sendable {
    let connection: Connection
    private let items: AsyncStream<BusName>

    private static let watcher: BusName = "org.kde.StatusNotifierWatcher"

    /// Runs `body` while the panel is on the bus.
    static func whileOnBus(
        on bus: PrivateBus,
        _ body: @escaping @Sendable (TrayHost) async throws -> Void
    ) async throws {
        let (items, newItems) = AsyncStream<BusName>.makeStream()
        let register = Method(
            name: "RegisterStatusNotifierItem",
            inputs: [Argument(name: "service", type: .string)]
        ) { invocation in
            newItems.yield(try BusName(try invocation.arguments.decode(at: 0, as: String.self)))
            return .reply([])
        }
        let interface = Interface(name: "org.kde.StatusNotifierWatcher", methods: [register])
        try await bus.withService(watcher, at: "/StatusNotifierWatcher", [interface]) { connection in
            try await body(TrayHost(connection: connection, items: items))
        }
    }

    /// The next item that is registered.
    func item() async throws -> TrayedItem {
        for await name in items { return TrayedItem(connection: connection, name: name) }
        throw CancellationError()
    }
}

/// A tray item and its menu, as a panel sees them.
struct TrayedItem: Sendable {
    let connection: Connection
    let name: BusName

    /// An item of the menu.
    struct Item: Sendable {
        let id: Int32
        let label: String
        let properties: [String: Value]

        var isEnabled: Bool { properties["enabled"]?.boolean ?? true }
    }

    private static let interface: InterfaceName = "org.kde.StatusNotifierItem"
    private static let path: ObjectPath = "/StatusNotifierItem"

    /// A property of the item.
    func property(_ property: MemberName) async throws -> Value {
        try await connection.property(of: name, at: Self.path, interface: Self.interface, name: property)
    }

    /// `Passive`, `Active` or `NeedsAttention`.
    var status: String {
        get async throws { try await property("Status").string ?? "" }
    }

    /// All items of the menu, from the first to the last.
    func menu() async throws -> [Item] {
        let reply = try await menu("GetLayout", [.int32(0), .int32(-1), [String]().value])
        return Self.items(in: reply[1])
    }

    /// Clicks an item of the menu.
    func click(_ item: Item) async throws {
        _ = try await menu("Event", [.int32(item.id), .string("clicked"), .variant(.int32(0)), .uint32(0)])
    }

    /// Clicks an item of the menu, once there is one with such a label that can be clicked.
    func click(_ label: String) async throws {
        try await click(try await until { $0.label.hasPrefix(label) && $0.isEnabled })
    }

    /// Tells that the menu is about to be shown.
    func open() async throws { _ = try await menu("AboutToShow", [.int32(0)]) }

    /// Passes the token with which what the next click starts may take the focus.
    func provideToken(_ token: String) async throws {
        _ = try await call(Self.path, Self.interface, "ProvideXdgActivationToken", [.string(token)])
    }

    /// Clicks the icon with the second button of the mouse.
    func activateSecondarily() async throws {
        _ = try await call(Self.path, Self.interface, "SecondaryActivate", [.int32(0), .int32(0)])
    }

    /// The item of the menu that fulfils `condition`, once there is one.
    @discardableResult
    func until(_ condition: @escaping @Sendable (Item) -> Bool) async throws -> Item {
        try await first { try await menu().first(where: condition) }
    }

    /// Waits for an item with that label.
    func until(label: String) async throws { try await until { $0.label == label } }

    /// Waits until the item has that status.
    func until(status: String) async throws {
        try await first { try await self.status == status ? () : nil }
    }

    /// Waits until the item has that icon.
    func until(icon: String) async throws {
        try await first { try await property("IconName").string == icon ? () : nil }
    }

    /// Calls a method of the menu.
    func menu(_ member: MemberName, _ arguments: [Value]) async throws -> [Value] {
        guard let path = try await property("Menu").objectPath else { return [] }
        return try await call(path, "com.canonical.dbusmenu", member, arguments)
    }

    /// The first value of `condition`, which is evaluated now and after each signal of the item and its menu.
    private func first<Success: Sendable>(
        _ condition: @escaping @Sendable () async throws -> Success?
    ) async throws -> Success {
        try await awaiting("a change of the tray item") {
            try await connection.first(after: MatchRule(sender: name), condition)
        }
    }

    private func call(
        _ path: ObjectPath,
        _ interface: InterfaceName,
        _ member: MemberName,
        _ arguments: [Value]
    ) async throws -> [Value] {
        let call = MethodCall(
            destination: name,
            path: path,
            interface: interface,
            member: member,
            arguments: arguments
        )
        return try await connection.call(call)
    }

    private static func items(in layout: Value) -> [Item] {
        guard let fields = layout.unwrapped.structure, fields.count == 3, let id = fields[0].int32 else { return [] }
        let properties = fields[1].stringDictionary ?? [:]
        let own = properties["label"]?.string.map { [Item(id: id, label: $0, properties: properties)] } ?? []
        return own + (fields[2].array ?? []).flatMap { items(in: $0) }
    }
}

extension PrivateBus {
    /// Runs `body` while handoff-desktop runs on the bus, with additional variables of its environment.
    func withDesktop(
        in world: World,
        _ variables: [String: String] = [:],
        _ body: @escaping @Sendable (ChildProcess) async throws -> Void
    ) async throws {
        let arguments = ["--bus", address.description]
        let environment = world.environment.merging(variables) { $1 }
        try await withProgram(Programs.handoffDesktop, arguments, environment: environment, body)
    }
}
