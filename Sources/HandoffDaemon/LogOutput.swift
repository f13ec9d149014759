import Glibc
package import Logging

/// Where the daemon's log goes: standard error, readable in a terminal, or with the priorities of the journal.
package enum LogOutput {
    /// A logger for a terminal, with the time of day, or for systemd, which adds its own.
    package static func logger(level: Logger.Level, isForeground: Bool) -> Logger {
        var logger = Logger(label: "handoffd") { _ in LineHandler(isForeground: isForeground) }
        logger.logLevel = level
        return logger
    }
}

/// Writes each message as one line.
private struct LineHandler: LogHandler {
    let isForeground: Bool
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let details = metadata.merging(event.metadata ?? [:]) { _, new in new }
            .sorted { $0.key < $1.key }
            .map { " \($0.key)=\($0.value)" }
            .joined()
        let start = isForeground ? "\(Self.time()) \(event.level) " : "<\(Self.priority(event.level))>"
        // Names and messages can come from other devices: nothing of them may start a line or move a cursor.
        let line = (event.message.description + details).map { $0.isNewline || $0 == "\u{1B}" ? " " : $0 }
        let bytes = Array((start + String(line) + "\n").utf8)
        // One write for each line, so that lines of two threads do not mix; a log that cannot be written is lost.
        _ = bytes.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }

    /// The priority of sd-daemon(3).
    private static func priority(_ level: Logger.Level) -> Int {
        switch level {
        case .trace, .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        case .critical: 2
        }
    }

    private static func time() -> String {
        var now = time_t()
        Glibc.time(&now)
        var parts = tm()
        localtime_r(&now, &parts)
        let fields = [parts.tm_hour, parts.tm_min, parts.tm_sec]
        return fields.map { ($0 < 10 ? "0" : "") + String($0) }.joined(separator: ":")
    }
}
