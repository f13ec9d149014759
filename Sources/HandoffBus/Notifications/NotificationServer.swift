package import DBus

/// The desktop's notification server (Desktop Notifications Specification 1.2), as one app uses it over one connection.
package struct NotificationServer: Sendable {
    /// The bus name of a notification server.
    package static let name: BusName = "org.freedesktop.Notifications"
    /// The match rule for the signals of a server.
    package static let signals = MatchRule(sender: name, path: path, interface: interface)

    private static let path: ObjectPath = "/org/freedesktop/Notifications"
    private static let interface: InterfaceName = "org.freedesktop.Notifications"
    /// The time limit for a call; after it, the notification counts as not shown.
    private static let callTimeout = Duration.seconds(5)

    /// The app that shows notifications.
    package struct App: Hashable, Sendable {
        /// The name for people.
        let name: String
        /// The id of its desktop file, without `.desktop`; also the name of its icon.
        let desktopFile: String

        package init(name: String, desktopFile: String) {
            self.name = name
            self.desktopFile = desktopFile
        }
    }

    private let connection: Connection
    private let app: App

    /// Makes a server that is called over `connection`, on behalf of `app`; sends nothing.
    package init(connection: Connection, app: App) {
        self.connection = connection
        self.app = app
    }

    /// Returns the capabilities of the server.
    ///
    /// - Throws: `DBusError` if there is no server, or none that answers within five seconds.
    package func capabilities() async throws(DBusError) -> Set<String> {
        let reply = try await connection.call(Self.call("GetCapabilities"), timeout: Self.callTimeout)
        return Set(try reply.decode(at: 0, as: [String].self))
    }

    /// Shows a notification; it replaces another one if that is still open.
    ///
    /// Actions are left out when the server has no buttons, and text that it would read as markup is escaped.
    ///
    /// - Returns: the id of the notification.
    /// - Throws: as ``capabilities()``.
    package func show(
        _ notification: DesktopNotification,
        replacing old: UInt32?,
        capabilities: Set<String>
    ) async throws(DBusError) -> UInt32 {
        let actions = capabilities.contains("actions") ? notification.actions.flatMap { [$0.key, $0.label] } : []
        let isMarkup = capabilities.contains("body-markup")
        let arguments: [Value] = [
            .string(app.name), .uint32(old ?? 0),
            .string(notification.icon.isEmpty ? app.desktopFile : notification.icon), .string(notification.summary),
            .string(isMarkup ? notification.body.escapedMarkup : notification.body), actions.value,
            hints(of: notification).value,
            // 0 means never; otherwise the expiry time is left to the server.
            .int32(notification.isPersistent ? 0 : -1),
        ]
        return try await connection.call(Self.call("Notify", arguments), timeout: Self.callTimeout)
            .decode(at: 0, as: UInt32.self)
    }

    /// Closes a notification; does nothing if it is closed already.
    package func close(_ id: UInt32) {
        var call = Self.call("CloseNotification", [.uint32(id)])
        call.startsService = false
        connection.send(call)
    }

    private func hints(of notification: DesktopNotification) -> [String: Value] {
        var hints: [String: Value] = [
            "urgency": .byte(notification.urgency.rawValue), "category": .string("device"),
            "desktop-entry": .string(app.desktopFile),
        ]
        if notification.isTransient { hints["transient"] = .boolean(true) }
        if notification.isResident { hints["resident"] = .boolean(true) }
        return hints
    }

    private static func call(_ member: MemberName, _ arguments: [Value] = []) -> MethodCall {
        MethodCall(destination: name, path: path, interface: interface, member: member, arguments: arguments)
    }
}
