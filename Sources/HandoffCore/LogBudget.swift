/// Decides when something that strangers can make happen at will is worth a line in the log.
package struct LogBudget: Sendable {
    /// The shortest time between two lines.
    package static let interval = Duration.seconds(60)

    private var lastLine: Duration?
    private var untold = 0

    package init() {}

    /// Takes in that it has happened once more; how often since the last line when it is time for one, nil before.
    package mutating func spend(at uptime: Duration) -> Int? {
        untold += 1
        if let lastLine, uptime - lastLine < Self.interval { return nil }
        lastLine = uptime
        defer { untold = 0 }
        return untold
    }
}
