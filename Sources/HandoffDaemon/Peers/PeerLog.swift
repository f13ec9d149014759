import HandoffCore
import Logging
import Synchronization

/// The log of what trusted devices and local programs do, each of which can do it as often as it likes.
///
/// Of each event it has at most ``maximumLines`` lines in a minute, the next of which tells how many were left out. Whoever
/// has the log tell everything, at the level `debug`, gets every line.
final class PeerLog: Sendable {
    /// More than a person causes in a minute; a program of a trusted device that goes wrong does not fill the journal.
    static let maximumLines = 10

    private let logger: Logger
    /// By event, of which there are as many as the code has.
    private let limiters = Mutex<[String: LogRateLimiter]>([:])

    init(_ logger: Logger) {
        self.logger = logger
    }

    /// Logs an event, unless it has been logged too often in the last minute.
    ///
    /// - Parameters:
    ///   - event: the event's name, the same for all lines of its kind; never anything from a peer.
    ///   - level: the level of the line.
    ///   - message: the sentence.
    ///   - metadata: what else the line has.
    ///   - uptime: the present.
    func log(
        _ event: String,
        at level: Logger.Level = .info,
        _ message: String,
        metadata: Logger.Metadata = [:],
        uptime: Duration = Moment.now.uptime
    ) {
        let count = logger.logLevel <= .debug ? 1 : countToTell(event, at: uptime)
        guard let count else { return }
        let rest = count > 1 ? " (\(count - 1) more of these were not logged)" : ""
        logger.log(level: level, "\(message)\(rest)", metadata: metadata.merging(["event": "\(event)"]) { $1 })
    }

    /// Returns how many events the next line stands for; nil when there is none now.
    private func countToTell(_ event: String, at uptime: Duration) -> Int? {
        limiters.withLock {
            $0[event, default: LogRateLimiter(lines: Self.maximumLines)].recordEvent(at: uptime)
        }
    }
}
