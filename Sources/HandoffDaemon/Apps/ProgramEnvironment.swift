import Glibc

/// The environment of programs that the daemon starts.
enum ProgramEnvironment {
    /// The variables of this process without those that concern itself, as `NAME=VALUE`.
    static var inherited: [String] {
        var all: [String] = []
        var next = environ
        while let entry = next.pointee {
            let text = String(cString: entry)
            if !isOwn(text.prefix { $0 != "=" }) { all.append(text) }
            next += 1
        }
        return all
    }

    /// Whether systemd has started this process as a service (systemd.exec(5), `SYSTEMD_EXEC_PID`, from 248 on), so that
    /// the programs that it starts have the same environment as this process, or a newer one.
    static var isOfService: Bool { getenv("SYSTEMD_EXEC_PID").map { String(cString: $0) } == String(getpid()) }

    /// Whether a variable tells a service or a program that was started by the bus about itself.
    static func isOwn(_ name: some StringProtocol) -> Bool {
        names.contains(String(name)) || prefixes.contains { name.hasPrefix($0) }
    }

    // systemd.exec(5), "Environment Variables Set or Propagated by the Service Manager"; dbus-daemon(1) sets
    // DBUS_STARTER_….
    private static let names: Set<String> = [
        "INVOCATION_ID", "NOTIFY_SOCKET", "MAINPID", "JOURNAL_STREAM", "SYSTEMD_EXEC_PID", "PIDFILE", "FDSTORE",
        "RUNTIME_DIRECTORY", "STATE_DIRECTORY", "CACHE_DIRECTORY", "LOGS_DIRECTORY", "CONFIGURATION_DIRECTORY",
        "CREDENTIALS_DIRECTORY", "REMOTE_ADDR", "REMOTE_PORT", "SERVICE_RESULT", "EXIT_CODE", "EXIT_STATUS",
        "DEBUG_INVOCATION",
    ]
    private static let prefixes = [
        "LISTEN_", "WATCHDOG_", "MANAGERPID", "MEMORY_PRESSURE_", "MONITOR_", "TRIGGER_", "DBUS_STARTER_",
    ]
}
