import HandoffModel
import Logging

/// Formats a log message as a single line.
enum LogLine {
    /// Returns the line, including the line end.
    ///
    /// Names and messages can come from other devices and programs: characters in them that would start a line, move
    /// the cursor, or change the text direction are replaced by spaces.
    ///
    /// - Parameter time: the time of day, for a terminal; nil for systemd, which adds its own time and reads the
    ///   priority.
    static func text(
        _ level: Logger.Level,
        _ message: String,
        _ metadata: Logger.Metadata,
        time: String?
    ) -> String {
        let details = metadata.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
        let start = time.map { "\($0) \(level) " } ?? "<\(priority(of: level))>"
        return start + sanitized(message + details) + "\n"
    }

    /// Returns a time since the computer was started in seconds, with six decimals.
    static func text(uptime: Duration) -> String {
        let (seconds, attoseconds) = uptime.components
        let decimals = String(attoseconds / 1_000_000_000_000)
        return "\(seconds)." + String(repeating: "0", count: 6 - decimals.count) + decimals
    }

    private static func sanitized(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { $0.isHarmlessInLine ? $0 : " " }))
    }

    /// The priority as in sd-daemon(3).
    private static func priority(of level: Logger.Level) -> Int {
        switch level {
        case .trace, .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        case .critical: 2
        }
    }
}
