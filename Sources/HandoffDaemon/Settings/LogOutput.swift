import Glibc
import HandoffCore
package import Logging

/// The destination of the daemon's log: standard error, in a form for terminals or with the priorities of the journal.
package enum LogOutput {
    /// Returns a logger for a terminal, with the time of day, or for systemd, which adds its own time.
    ///
    /// On a terminal, messages of the levels debug and trace have the uptime as well, by which the time between the steps
    /// of an operation is measured.
    ///
    /// Its level follows `threshold`, unless another one is set for a copy of the logger.
    package static func logger(from threshold: LogThreshold, isForeground: Bool) -> Logger {
        Logger(label: "handoffd") { _ in LineHandler(isForeground: isForeground, threshold: threshold) }
    }
}

/// A log handler that writes each message as one line.
private struct LineHandler: LogHandler {
    let isForeground: Bool
    let threshold: LogThreshold
    var metadata: Logger.Metadata = [:]
    /// The level of this copy; nil for the common one.
    private var ownLevel: Logger.Level?

    init(isForeground: Bool, threshold: LogThreshold) {
        self.isForeground = isForeground
        self.threshold = threshold
    }

    var logLevel: Logger.Level {
        get { ownLevel ?? threshold.level }
        set { ownLevel = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var details = metadata.merging(event.metadata ?? [:]) { _, new in new }
        // The journal has such a time of its own.
        if isForeground, event.level <= .debug { details["uptime"] = "\(LogLine.text(uptime: Moment.now.uptime))" }
        let time = isForeground ? Self.time() : nil
        let bytes = Array(LogLine.text(event.level, event.message.description, details, time: time).utf8)
        // One write for each line, so that lines of two threads are not interleaved; errors of the write are ignored.
        _ = bytes.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
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
