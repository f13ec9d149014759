import AsyncSupport
import DBus
import Glibc
import SystemPackage

/// Which process has the window with the focus on a desktop of KWin, the compositor of KDE.
///
/// KWin tells a program nothing about the windows of others, but runs a script for whoever calls it on the session bus
/// (`org.kde.kwin.Scripting`; the names in the script are those of KWin 5 and of KWin 6). Of a window of Wayland, KWin has
/// the process from the kernel; of one of X11, what the program says about itself.
struct KWinFocus: Sendable {
    /// The name of KWin on the session bus.
    static let service: BusName = "org.kde.KWin"

    private static let path: ObjectPath = "/org/handoffd/Desktop1/Focus"
    private static let interface: InterfaceName = "org.handoffd.Focus1"
    /// The name of the script in KWin.
    private static let script = "handoff-focus"
    /// How long KWin may take to load a script.
    private static let patience = Duration.seconds(10)

    private let connection: Connection
    /// Where the script is while it runs.
    private let file: FilePath

    /// - Parameters:
    ///   - connection: a connection to the session bus.
    ///   - environment: names the user's directory for files of running programs, as `XDG_RUNTIME_DIR`; nil without it.
    init?(connection: Connection, environment: [String: String]) {
        guard let directory = environment["XDG_RUNTIME_DIR"], directory.hasPrefix("/") else { return nil }
        self.connection = connection
        file = FilePath(directory).appending("handoff-focus.js")
    }

    /// Follows the focus until cancelled, with a KWin that is on the bus.
    ///
    /// - Parameters:
    ///   - compositor: its unique name.
    ///   - change: is called first and after each change. It runs on the loop's thread, and must not block.
    /// - Throws: `DBusError` and `Errno` when it does not run the script, `CancellationError`.
    func follow(_ compositor: BusName, _ change: @escaping @Sendable (FocusReport) -> Void) async throws {
        let ownProcess = try await connection.processID(of: compositor)
        let tell = Method(name: "Tell", inputs: [Argument(name: "process", type: .string)]) { invocation in
            let text = try invocation.arguments.decode(at: 0, as: String.self)
            change(Self.report(text, ownProcess))
            return .reply([])
        }
        connection.objects.insert([Interface(name: Self.interface, methods: [tell])], at: Self.path, for: compositor)
        defer { unload() }
        try write()
        // One of an earlier run that was killed would call a client that is gone.
        _ = try await call("unloadScript", [.string(Self.script)])
        _ = try await call("loadScript", [.string(file.string), .string(Self.script)])
        _ = try await call("start", [])
        try await untilCancelled()
    }

    /// What the script has told.
    ///
    /// What KWin shows itself is no app. A window of X11 may be one of another computer, or of a program in a namespace, that
    /// names no process or the first one.
    private static func report(_ text: String, _ ownProcess: UInt32) -> FocusReport {
        if text.isEmpty { return .nothing }
        guard let process = UInt32(text), process > 1 else { return .unknown }
        return process == ownProcess ? .nothing : .process(process)
    }

    /// Writes the script, which calls this client whenever another window has the focus.
    ///
    /// A special window is a panel, the background or a notification.
    private func write() throws {
        let text = """
            function tell(window) {
                callDBus("\(connection.uniqueName)", "\(Self.path)", "\(Self.interface)", "Tell",
                    window && !window.specialWindow ? String(window.pid) : "");
            }
            (workspace.windowActivated || workspace.clientActivated).connect(tell);
            tell(workspace.activeWindow || workspace.activeClient);

            """
        let options: FileDescriptor.OpenOptions = [.create, .truncate, .noFollow, .closeOnExec]
        let descriptor = try FileDescriptor.open(file, .writeOnly, options: options, permissions: .ownerReadWrite)
        _ = try descriptor.closeAfter { try descriptor.writeAll(text.utf8) }
    }

    private func unload() {
        connection.objects.remove(at: Self.path)
        connection.send(scripting("unloadScript", [.string(Self.script)]))
        _ = file.withPlatformString { unlink($0) }
    }

    private func call(_ member: MemberName, _ arguments: [Value]) async throws -> [Value] {
        try await connection.call(scripting(member, arguments), timeout: Self.patience)
    }

    private func scripting(_ member: MemberName, _ arguments: [Value]) -> MethodCall {
        MethodCall(
            destination: Self.service,
            path: "/Scripting",
            interface: "org.kde.kwin.Scripting",
            member: member,
            arguments: arguments,
            startsService: false
        )
    }
}
