import Glibc

/// The bus to connect to.
package enum BusAddress: Sendable, Hashable, CustomStringConvertible {
    /// The bus of the user's session.
    case session
    /// The bus of the system.
    case system
    /// An address in the format of libdbus, such as `unix:path=/run/user/1000/bus`.
    case address(String)

    /// Parses a command-line argument: `session`, `system` or an address.
    package init(argument: String) {
        switch argument {
        case "session": self = .session
        case "system": self = .system
        default: self = .address(argument)
        }
    }

    /// The bus as an argument for `init(argument:)`.
    package var description: String {
        switch self {
        case .session: "session"
        case .system: "system"
        case .address(let address): address
        }
    }

    /// Returns the address for libdbus, from the environment for the two well-known buses.
    ///
    /// Never libdbus's `autolaunch:`, which starts processes. The system bus's default is the one of the D-Bus
    /// specification, "Well-known Message Bus Instances"; the session bus's default is the socket of systemd.
    ///
    /// - Throws: `DBusError.Code.invalidAddress` if the environment does not define the session bus, or if the address
    ///   contains a NUL.
    func resolved() throws(DBusError) -> String {
        let text =
            switch self {
            case .session: try Self.sessionAddress()
            case .system: Self.environment("DBUS_SYSTEM_BUS_ADDRESS") ?? "unix:path=/var/run/dbus/system_bus_socket"
            case .address(let address): address
            }
        guard !text.utf8.contains(0) else {
            throw DBusError(.invalidAddress, "a bus address must not contain a NUL")
        }
        return text
    }

    private static func sessionAddress() throws(DBusError) -> String {
        if let address = environment("DBUS_SESSION_BUS_ADDRESS") { return address }
        guard let directory = environment("XDG_RUNTIME_DIR") else {
            let cure = "set DBUS_SESSION_BUS_ADDRESS, or log in to a session"
            throw DBusError(.invalidAddress, "the address of the session bus is unknown: \(cure)")
        }
        return "unix:path=\(escaped(directory))/bus"
    }

    private static func environment(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Percent-encodes the bytes that are not allowed in an address (D-Bus specification, "Server Addresses").
    private static func escaped(_ path: String) -> String {
        let plain = Set("-_/.\\*0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)
        return path.utf8.map { byte in
            if plain.contains(byte) { return String(Unicode.Scalar(byte)) }
            let hex = String(byte, radix: 16)
            return hex.utf8.count == 1 ? "%0\(hex)" : "%\(hex)"
        }.joined()
    }
}
