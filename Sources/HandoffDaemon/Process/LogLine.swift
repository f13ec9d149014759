import Logging

/// One message of the log as one line.
enum LogLine {
    /// The line, with its end.
    ///
    /// Names and messages can come from other devices and programs: nothing of them starts a line, moves a cursor, or
    /// turns the direction in which the rest is read.
    ///
    /// - Parameter time: for a terminal, the time of day; for systemd nil, which adds its own and takes the priority.
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

    private static func sanitized(_ text: String) -> String {
        var kept = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { kept.append(isPrintable(scalar) ? scalar : " ") }
        return String(kept)
    }

    private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: false
        default: !scalar.properties.isBidiControl
        }
    }

    /// The priority of sd-daemon(3).
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
