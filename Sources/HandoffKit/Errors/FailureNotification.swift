import DBus

/// What the user is told when an activity does not arrive and the app does not say so itself.
struct FailureNotification: Hashable, Sendable {
    /// The app's name.
    let application: String
    /// A sentence for the user.
    let message: String

    private static let callTimeout = Duration.seconds(5)

    /// Shows it on the desktop.
    ///
    /// - Throws: `DBusError` if the desktop shows no notifications.
    func show(over connection: Connection) async throws(DBusError) {
        _ = try await connection.call(call(text: try await hasMarkup(connection) ? Self.escaped(message) : message))
    }

    /// Desktop Notifications Specification 1.2, "org.freedesktop.Notifications.Notify".
    private func call(text: String) -> MethodCall {
        let hints: [String: Value] = ["category": .string("device.error"), "desktop-entry": .string(application)]
        return Self.call(
            "Notify",
            [
                .string(application), .uint32(0), .string(""), .string("Could not continue"), .string(text),
                [String]().value, hints.value, .int32(-1),
            ]
        )
    }

    private func hasMarkup(_ connection: Connection) async throws(DBusError) -> Bool {
        let reply = try await connection.call(Self.call("GetCapabilities"), timeout: Self.callTimeout)
        return try reply.decode(at: 0, as: [String].self).contains("body-markup")
    }

    private static func call(_ member: MemberName, _ arguments: [Value] = []) -> MethodCall {
        MethodCall(
            destination: "org.freedesktop.Notifications",
            path: "/org/freedesktop/Notifications",
            interface: "org.freedesktop.Notifications",
            member: member,
            arguments: arguments
        )
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
