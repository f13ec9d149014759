import DBus
import Epoll
import Glibc
import HandoffApps
import SystemPackage

/// Opens the window of Handoff, which is a program of its own, where it is installed.
struct WindowOpener: Sendable {
    /// The id of its desktop file.
    private static let id = "org.handoffd.Window"
    private static let systemd: BusName = "org.freedesktop.systemd1"
    /// How long systemd may take to accept a program.
    private static let patience = Duration.seconds(10)
    private let connection: Connection
    private let directories: AppDirectories

    init(connection: Connection, environment: [String: String]) {
        (self.connection, directories) = (connection, AppDirectories(environment: environment))
    }

    /// Whether the window is installed; reads its desktop file.
    var isInstalled: Bool { command != nil }

    private var command: [String]? {
        directories.entry(Self.id)?.string("Exec").flatMap { try? ExecLine($0) }?.arguments()
    }

    /// Opens the window, or brings it to the front.
    ///
    /// The user's systemd starts it, so that it runs in a unit of its own, without the sandbox and the limits of the
    /// present one. Where there is no systemd, there is none of these either.
    ///
    /// - Parameter token: lets the window take the focus; nil for none.
    /// - Throws: `DBusError` when systemd does not start it, `Errno` when it cannot be executed, such as `ENOENT`.
    func open(_ token: String?) async throws {
        guard let command else { throw Errno.noSuchFileOrDirectory }
        // XDG Activation, "Activation tokens", and Startup Notification 0.1.
        let variables = token.map { ["XDG_ACTIVATION_TOKEN=\($0)", "DESKTOP_STARTUP_ID=\($0)"] } ?? []
        guard try await connection.owner(of: Self.systemd) != nil else { return try Self.spawn(command, variables) }
        let number = String(UInt64.random(in: 0...UInt64.max), radix: 16)
        let property = ValueType.structure([.string, .variant])
        let auxiliary = ValueType.structure([.string, .array(property)])
        let properties = Self.properties(command, variables).map { Value.structure([.string($0.0), .variant($0.1)]) }
        let call = MethodCall(
            destination: Self.systemd,
            path: "/org/freedesktop/systemd1",
            interface: "org.freedesktop.systemd1.Manager",
            member: "StartTransientUnit",
            arguments: [
                .string("app-handoffd-\(Self.id)@\(number).service"), .string("fail"),
                .array(of: property, properties), .array(of: auxiliary, []),
            ],
            startsService: false
        )
        _ = try await connection.call(call, timeout: Self.patience)
    }

    private static func properties(_ command: [String], _ variables: [String]) -> [(String, Value)] {
        // The words are passed as they are, `$` included (org.freedesktop.systemd1(5)).
        let line = Value.structure([.string(command[0]), command.value, ["no-env-expand"].value])
        return [
            ("Description", .string("Handoff")), ("ExecStartEx", .array(of: line.type, [line])),
            ("Slice", .string("app.slice")), ("CollectMode", .string("inactive-or-failed")),
            ("Environment", variables.value),
        ]
    }

    /// Starts a program in a session of its own; nobody waits for its end (DesktopProgram ignores SIGCHLD).
    private static func spawn(_ command: [String], _ variables: [String]) throws(Errno) {
        _ = try NewProgram(command, variables: inherited + variables).start { _ in }
    }

    private static var inherited: [String] {
        var (all, next) = ([String](), environ)
        while let entry = next.pointee {
            all.append(String(cString: entry))
            next += 1
        }
        return all.filter { !$0.hasPrefix("XDG_ACTIVATION_TOKEN=") && !$0.hasPrefix("DESKTOP_STARTUP_ID=") }
    }
}
