import DBus

/// The desktop's notification server (Desktop Notifications Specification 1.2), over one connection.
struct NotificationServer: Sendable {
    /// The bus name of a notification server.
    static let name: BusName = "org.freedesktop.Notifications"
    /// The match rule for the signals of a server.
    static let signals = MatchRule(sender: name, path: path, interface: interface)

    private static let path: ObjectPath = "/org/freedesktop/Notifications"
    private static let interface: InterfaceName = "org.freedesktop.Notifications"
    /// The time limit for a call; after it, the notification counts as not shown.
    private static let callTimeout = Duration.seconds(5)

    let connection: Connection

    /// A notification.
    struct Notification: Hashable, Sendable {
        var summary: String
        /// The body as plain text.
        var body: String
        /// The name or path of an icon; empty for none.
        var icon = ""
        /// The label of its button; nil for a notification without a button.
        var button: String?
        /// Whether a click on the notification itself counts as one on the button.
        var isClickable = true
        /// Whether the server shows it until it is closed.
        var isPersistent = false
    }

    /// A signal of a server.
    enum Event: Hashable, Sendable {
        /// The notification or its button was clicked.
        case clicked(UInt32)
        /// The token with which the following click lets a window take the focus.
        case activationToken(UInt32, String)
        /// The notification was closed.
        case closed(UInt32)

        /// Parses a signal; returns nil for any other signal.
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

    /// Returns the capabilities of the server.
    func capabilities() async throws(DBusError) -> Set<String> {
        let reply = try await connection.call(Self.call("GetCapabilities"), timeout: Self.callTimeout)
        return Set(try reply.decode(at: 0, as: [String].self))
    }

    /// Shows a notification; it replaces another one if that is still open.
    ///
    /// - Returns: the id of the notification.
    func show(
        _ notification: Notification,
        replacing old: UInt32?,
        capabilities: Set<String>
    ) async throws(DBusError) -> UInt32 {
        var actions: [String] = []
        if let button = notification.button, capabilities.contains("actions") {
            // A click on the notification itself invokes "default", which not every desktop supports.
            actions = notification.isClickable ? ["default", button, "continue", button] : ["cancel", button]
        }
        let hints: [String: Value] = ["urgency": .byte(0), "category": .string("device"), "transient": .boolean(true)]
        let isMarkup = capabilities.contains("body-markup")
        let arguments: [Value] = [
            .string("Handoff"), .uint32(old ?? 0), .string(notification.icon), .string(notification.summary),
            .string(isMarkup ? Self.escaped(notification.body) : notification.body), actions.value, hints.value,
            // 0 means never; otherwise the expiry time is left to the server.
            .int32(notification.isPersistent ? 0 : -1),
        ]
        return try await connection.call(Self.call("Notify", arguments), timeout: Self.callTimeout)
            .decode(at: 0, as: UInt32.self)
    }

    /// Closes a notification; does nothing if it is closed already.
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
