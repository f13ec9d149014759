/// Limits the log lines for events that unauthenticated peers can cause at will.
package struct LogRateLimiter: Sendable {
    /// The shortest time between two lines.
    package static let interval = Duration.seconds(60)

    private var lastLine: Duration?
    private var suppressedCount = 0

    package init() {}

    /// Records an event; returns the number of events since the last line when a line is due, nil otherwise.
    package mutating func recordEvent(at uptime: Duration) -> Int? {
        suppressedCount += 1
        if let lastLine, uptime - lastLine < Self.interval { return nil }
        lastLine = uptime
        defer { suppressedCount = 0 }
        return suppressedCount
    }
}
