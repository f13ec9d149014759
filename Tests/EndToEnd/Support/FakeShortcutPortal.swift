import DBus
import HandoffTestSupport
import Synchronization

/// A desktop portal with global shortcuts, whose person agrees to everything.
final class FakeShortcutPortal: Sendable {
    private static let path: ObjectPath = "/org/freedesktop/portal/desktop"
    private static let interface: InterfaceName = "org.freedesktop.portal.GlobalShortcuts"
    private static let session: ObjectPath = "/org/freedesktop/portal/desktop/session/1_1/handoff"
    private static let listType = ValueType.structure([.string, [String: Value].valueType])

    /// The shortcuts that apps have bound; they outlast the portal.
    private let bound = Mutex<[String]>([])
    /// The keys of each shortcut.
    private let keys = Mutex("Super+H")
    private let requests = ReceivedCalls()
    private let connection = Mutex<Connection?>(nil)

    /// The next method that was called.
    func next() async -> String { await requests.next() }

    /// Runs `body` while the portal is on the bus.
    func whileOnBus(on bus: PrivateBus, _ body: @escaping @Sendable (Connection) async throws -> Void) async throws {
        let interface = Interface(name: Self.interface, methods: [create, list, bind])
        try await Connection.withConnection(to: bus.address) { connection in
            self.connection.withLock { $0 = connection }
            defer { self.connection.withLock { $0 = nil } }
            connection.objects.insert([interface], at: Self.path)
            try await connection.withName("org.freedesktop.portal.Desktop") { try await body(connection) }
        }
    }

    /// Emits the signal that the keys of a shortcut were pressed.
    func press(_ shortcut: String, token: String, over connection: Connection) {
        let options = ["activation_token": Value.string(token)]
        connection.emit(
            Signal(
                path: Self.path,
                interface: Self.interface,
                member: "Activated",
                arguments: [.objectPath(Self.session), .string(shortcut), .uint64(0), options.value]
            )
        )
    }

    /// Sets the keys of the shortcuts, and emits the signal that the person has chosen them; without a connection, the
    /// next portal has them.
    func change(to keys: String, over connection: Connection? = nil) {
        self.keys.withLock { $0 = keys }
        let arguments: [Value] = [.objectPath(Self.session), shortcuts["shortcuts"] ?? .array(of: Self.listType, [])]
        connection?.emit(
            Signal(path: Self.path, interface: Self.interface, member: "ShortcutsChanged", arguments: arguments)
        )
    }

    private var create: Method {
        method("CreateSession", []) { _ in ["session_handle": .string(Self.session.description)] }
    }

    private var list: Method {
        method("ListShortcuts", [Argument(name: "session_handle", type: .objectPath)]) { _ in self.shortcuts }
    }

    private var bind: Method {
        let inputs = [
            Argument(name: "session_handle", type: .objectPath),
            Argument(name: "shortcuts", type: .array(Self.listType)), Argument(name: "parent_window", type: .string),
        ]
        return method("BindShortcuts", inputs) { invocation in
            let ids = invocation.arguments[1].array?.compactMap { $0.structure?.first?.string }
            self.bound.withLock { $0 = ids ?? [] }
            return self.shortcuts
        }
    }

    private var shortcuts: [String: Value] {
        let properties: [String: Value] = ["trigger_description": .string(keys.withLock { $0 })]
        let list = bound.withLock { $0 }.map { Value.structure([.string($0), properties.value]) }
        return ["shortcuts": .array(of: Self.listType, list)]
    }

    /// A method that answers by the signal of a request.
    private func method(
        _ name: MemberName,
        _ inputs: [Argument],
        _ results: @escaping @Sendable (Invocation) -> [String: Value]
    ) -> Method {
        Method(
            name: name,
            inputs: inputs + [Argument(name: "options", type: [String: Value].valueType)],
            outputs: [Argument(name: "handle", type: .objectPath)]
        ) { invocation in
            self.requests.append(name.description)
            let token = invocation.arguments.last?.stringDictionary?["handle_token"]?.string ?? "none"
            let sender = String(invocation.sender.description.dropFirst().map { $0 == "." ? "_" : $0 })
            let request = Self.path.appending("request").appending(sender).appending(token)
            let response = Signal(
                path: request,
                interface: "org.freedesktop.portal.Request",
                member: "Response",
                arguments: [.uint32(0), results(invocation).value]
            )
            self.connection.withLock { $0 }?.emit(response)
            return .reply([.objectPath(request)])
        }
    }
}
