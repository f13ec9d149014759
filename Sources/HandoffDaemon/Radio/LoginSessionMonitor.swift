import AsyncSupport
import DBus
import Logging

/// Tells the engine while the user's login session is locked or idle, and when the computer wakes up, as reported by
/// systemd-logind.
///
/// Without logind, the user counts as present at all times. (The interface: org.freedesktop.login1(5).)
struct LoginSessionMonitor: Service {
    let engine: Engine
    let bus: BusAddress
    let logger: Logger

    private static let name: BusName = "org.freedesktop.login1"
    private static let root: ObjectPath = "/org/freedesktop/login1"
    private static let session: InterfaceName = "org.freedesktop.login1.Session"

    func run() async throws {
        try await followAlways()
    }

    /// Follows the session until cancelled, and reconnects when the system bus connection is lost.
    private func followAlways() async throws {
        var retry = Backoff(first: .seconds(1), longest: .seconds(60))
        while true {
            do {
                try await Connection.withConnection(to: bus) { connection in
                    try await follow(over: connection)
                }
            } catch let error as DBusError {
                engine.activities.setAway(false)
                logger.debug("cannot observe whether the session is locked: \(error.message)")
                try await retry.wait()
            }
        }
    }

    /// Reads the state again at every signal of logind, which are rare; the session may be a different one by then.
    private func follow(over connection: Connection) async throws {
        let rule = MatchRule(sender: Self.name, pathNamespace: Self.root)
        try await connection.withSignals(rule) { signals in
            engine.activities.setAway(await isAway(connection))
            for try await signal in signals {
                engine.activities.setAway(await isAway(connection))
                if Self.isResumption(signal) { engine.nearby.arrived() }
            }
        }
        throw CancellationError()
    }

    /// Whether the computer has just woken up: `PrepareForSleep` with false.
    private static func isResumption(_ signal: Signal) -> Bool {
        signal.member == "PrepareForSleep" && signal.arguments.first?.boolean == false
    }

    /// Whether the session is locked or idle; false when this cannot be determined.
    private func isAway(_ connection: Connection) async -> Bool {
        do throws(DBusError) {
            // "auto": the caller's session, or the user's graphical session for a service outside any session.
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
            // A text console counts as idle while nobody types, also where a script publishes on a server.
            let isText = ["tty", "unspecified"].contains(properties["Type"]?.string)
            return properties["LockedHint"]?.boolean == true || (!isText && properties["IdleHint"]?.boolean == true)
        } catch {
            logger.debug("no login session to observe: \(error.message)")
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
