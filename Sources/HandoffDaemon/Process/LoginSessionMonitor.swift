import AsyncSupport
import DBus
import Logging
import ServiceLifecycle

/// Takes activities off the air while the person's login session is locked or idle, as systemd-logind tells.
///
/// Where there is no logind, nobody is ever away. (The interface: org.freedesktop.login1(5).)
struct LoginSessionMonitor: Service {
    let engine: Engine
    let bus: BusAddress
    let logger: Logger

    private static let name: BusName = "org.freedesktop.login1"
    private static let root: ObjectPath = "/org/freedesktop/login1"
    private static let session: InterfaceName = "org.freedesktop.login1.Session"

    func run() async throws {
        try await ignoringCancellation {
            try await cancelWhenGracefulShutdown { try await follow() }
        }
    }

    /// Follows the session until cancelled, over a system bus that may go and come back.
    private func follow() async throws {
        var retry = Backoff(first: .seconds(1), longest: .seconds(60))
        while true {
            do {
                try await Connection.withConnection(to: bus) { connection in
                    try await follow(over: connection)
                }
            } catch let error as DBusError {
                engine.withhold(false)
                logger.debug("nobody tells when the session is locked: \(error.message)")
                try await retry.wait()
            }
        }
    }

    /// Asks anew whenever logind has something to say, which is seldom; the session itself may be another one by then.
    private func follow(over connection: Connection) async throws {
        let rule = MatchRule(sender: Self.name, pathNamespace: Self.root)
        try await connection.withSignals(rule) { signals in
            engine.withhold(await isAway(connection))
            for try await _ in signals { engine.withhold(await isAway(connection)) }
        }
        throw CancellationError()
    }

    /// Whether the session is locked or idle; false when nobody knows.
    private func isAway(_ connection: Connection) async -> Bool {
        do throws(DBusError) {
            // The session of whoever asks, or the graphical one of the same user for a service outside any session.
            let manager: InterfaceName = "org.freedesktop.login1.Manager"
            let reply = try await call(connection, Self.root, manager, "GetSession", [.string("auto")])
            let path = try reply.decode(at: 0, as: ObjectPath.self)
            let interface = Self.session.description
            let all = try await call(
                connection,
                path,
                "org.freedesktop.DBus.Properties",
                "GetAll",
                [.string(interface)]
            )
            let properties = all.first?.stringDictionary ?? [:]
            return ["LockedHint", "IdleHint"].contains { properties[$0]?.boolean == true }
        } catch {
            logger.debug("no login session to follow: \(error.message)")
            return false
        }
    }

    private func call(
        _ connection: Connection,
        _ path: ObjectPath,
        _ interface: InterfaceName,
        _ member: MemberName,
        _ arguments: [Value]
    ) async throws(DBusError) -> [Value] {
        try await connection.call(
            MethodCall(
                destination: Self.name,
                path: path,
                interface: interface,
                member: member,
                arguments: arguments,
                startsService: false
            )
        )
    }
}
