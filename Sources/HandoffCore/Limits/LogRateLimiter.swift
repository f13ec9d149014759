/// Decides when something that strangers can make happen at will is worth a line in the log.
package struct LogRateLimiter: Sendable {
    /// The shortest time between two lines.
    package static let interval = Duration.seconds(60)

    private var lastLine: Duration?
    private var suppressedCount = 0

    package init() {}

    /// Takes in that it has happened once more; how often since the last line when it is time for one, nil before.
    package mutating func recordEvent(at uptime: Duration) -> Int? {
        suppressedCount += 1
        if let lastLine, uptime - lastLine < Self.interval { return nil }
        lastLine = uptime
        defer { suppressedCount = 0 }
        return suppressedCount
    }
}
