import Glibc

/// Which bus to connect to.
package enum BusAddress: Sendable, Hashable, CustomStringConvertible {
    /// The bus of the user's session.
    case session
    /// The bus of the whole machine.
    case system
    /// An address as libdbus takes it, such as `unix:path=/run/user/1000/bus`.
    case address(String)

    /// Reads `session`, `system` or an address, as they are typed on a command line.
    package init(argument: String) {
        switch argument {
        case "session": self = .session
        case "system": self = .system
        default: self = .address(argument)
        }
    }

    /// The argument that `init(argument:)` takes.
    package var description: String {
        switch self {
        case .session: "session"
        case .system: "system"
        case .address(let address): address
        }
    }

    /// The address for libdbus, from the environment for the two well-known buses.
    ///
    /// Never libdbus's `autolaunch:`, which starts processes. The system bus's default is the one of the D-Bus
    /// specification, "Well-known Message Bus Instances"; the session's is where systemd listens.
    ///
    /// - Throws: `DBusError.Code.invalidAddress` if the environment does not say where the session bus is, or if the
    ///   address holds a NUL.
    func resolved() throws(DBusError) -> String {
        let text =
            switch self {
            case .session: try Self.sessionAddress()
            case .system: Self.environment("DBUS_SYSTEM_BUS_ADDRESS") ?? "unix:path=/var/run/dbus/system_bus_socket"
            case .address(let address): address
            }
        guard !text.utf8.contains(0) else {
            throw DBusError(.invalidAddress, "an address of a bus does not have a NUL in it")
        }
        return text
    }

    private static func sessionAddress() throws(DBusError) -> String {
        if let address = environment("DBUS_SESSION_BUS_ADDRESS") { return address }
        guard let directory = environment("XDG_RUNTIME_DIR") else {
            let cure = "set DBUS_SESSION_BUS_ADDRESS, or log in to a session"
            throw DBusError(.invalidAddress, "it is not known where the session bus is: \(cure)")
        }
        return "unix:path=\(escaped(directory))/bus"
    }

    private static func environment(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Percent-encodes what may not stand in an address (D-Bus specification, "Server Addresses").
    private static func escaped(_ path: String) -> String {
        let plain = Set("-_/.\\*0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)
        return path.utf8.map { byte in
            if plain.contains(byte) { return String(Unicode.Scalar(byte)) }
            let hex = String(byte, radix: 16)
            return hex.utf8.count == 1 ? "%0\(hex)" : "%\(hex)"
        }.joined()
    }
}
