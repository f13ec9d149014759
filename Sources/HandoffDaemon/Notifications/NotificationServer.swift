import DBus

/// What shows notifications on the desktop (Desktop Notifications Specification 1.2), as seen from one connection.
struct NotificationServer: Sendable {
    /// The name that a server has on the bus.
    static let name: BusName = "org.freedesktop.Notifications"
    /// What matches the signals of a server.
    static let signals = MatchRule(sender: name, path: path, interface: interface)

    private static let path: ObjectPath = "/org/freedesktop/Notifications"
    private static let interface: InterfaceName = "org.freedesktop.Notifications"
    /// A server that takes longer has shown nothing.
    private static let callTimeout = Duration.seconds(5)

    let connection: Connection

    /// One notification.
    struct Notification: Hashable, Sendable {
        var summary: String
        /// Plain text.
        var body: String
        /// The name or path of an icon; empty for none.
        var icon = ""
        /// What its button says; nil for a notification without one.
        var button: String?
    }

    /// What a signal of a server says.
    enum Event: Hashable, Sendable {
        /// The notification was clicked, or its button.
        case clicked(UInt32)
        /// The token with which the click that follows lets a window take the focus.
        case activationToken(UInt32, String)
        /// The notification is gone.
        case closed(UInt32)

        /// Nil for a signal that is nothing of this.
        init?(_ signal: Signal) {
            guard let id = signal.arguments.first?.uint32 else { return nil }
            let text = signal.arguments.dropFirst().first?.string
            switch signal.member {
            case "ActionInvoked": self = .clicked(id)
            case "NotificationClosed": self = .closed(id)
            case "ActivationToken":
                guard let text else { return nil }
                self = .activationToken(id, text)
            default: return nil
            }
        }
    }

    /// What the server can do.
    func capabilities() async throws(DBusError) -> Set<String> {
        let reply = try await connection.call(Self.call("GetCapabilities"), timeout: Self.callTimeout)
        return Set(try reply.decode(at: 0, as: [String].self))
    }

    /// Shows a notification, in the place of another one if that is still there.
    ///
    /// - Returns: its number.
    func show(
        _ notification: Notification,
        replacing old: UInt32?,
        capabilities: Set<String>
    ) async throws(DBusError) -> UInt32 {
        var actions: [String] = []
        if let button = notification.button, capabilities.contains("actions") {
            // A click on the notification itself is "default", which not every desktop has.
            actions = ["default", button, "continue", button]
        }
        let hints: [String: Value] = ["urgency": .byte(0), "category": .string("device"), "transient": .boolean(true)]
        let isMarkup = capabilities.contains("body-markup")
        let arguments: [Value] = [
            .string("Handoff"), .uint32(old ?? 0), .string(notification.icon), .string(notification.summary),
            .string(isMarkup ? Self.escaped(notification.body) : notification.body), actions.value, hints.value,
            // How long it is shown is up to the server.
            .int32(-1),
        ]
        return try await connection.call(Self.call("Notify", arguments), timeout: Self.callTimeout)
            .decode(at: 0, as: UInt32.self)
    }

    /// Takes a notification away; one that is gone already is none.
    func close(_ id: UInt32) {
        var call = Self.call("CloseNotification", [.uint32(id)])
        call.startsService = false
        connection.send(call)
    }

    private static func call(_ member: MemberName, _ arguments: [Value] = []) -> MethodCall {
        MethodCall(destination: name, path: path, interface: interface, member: member, arguments: arguments)
    }

    private static func escaped(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            default: result.append(character)
            }
        }
    }
}
