/// Limits the log lines for events that peers can cause at will.
package struct LogRateLimiter: Sendable {
    /// The time in which there is a limited number of lines.
    package static let interval = Duration.seconds(60)

    private let maximumLines: Int
    /// The times of the last lines, the oldest first.
    private var lines: [Duration] = []
    private var suppressedCount = 0

    /// Creates a limiter that allows that many lines in ``interval``, at least one.
    package init(lines maximumLines: Int = 1) {
        self.maximumLines = max(maximumLines, 1)
    }

    /// Records an event; returns the number of events since the last line when a line is due, nil otherwise.
    package mutating func recordEvent(at uptime: Duration) -> Int? {
        suppressedCount += 1
        if lines.count == maximumLines {
            guard uptime - lines[0] >= Self.interval else { return nil }
            lines.removeFirst()
        }
        lines.append(uptime)
        defer { suppressedCount = 0 }
        return suppressedCount
    }
}
