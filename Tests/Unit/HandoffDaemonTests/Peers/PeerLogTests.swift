import Logging
import Synchronization
import Testing
import TestLimits

@testable import HandoffDaemon

@Suite("What the log tells of trusted devices", .endsWithin(minutes: 10))
struct PeerLogTests {
    @Test("Of 40 streams and 40 refusals in a minute ten each are logged, and later how many were left out")
    func flood() {
        let lines = Lines(level: .info)
        let log = PeerLog(Logger(label: "test") { _ in lines })
        for number in 0..<40 {
            log.log("stream.opened", "a stream was opened", uptime: .seconds(number))
            log.log("request.refused", "a request was refused", uptime: .seconds(number))
        }
        #expect(lines.all.count == 20)
        #expect(Set(lines.all) == ["a stream was opened", "a request was refused"])
        log.log("stream.opened", "a stream was opened", uptime: .seconds(61))
        log.log("stream.opened", "a stream was opened", uptime: .seconds(61))
        #expect(
            Array(lines.all.dropFirst(20))
                == ["a stream was opened (30 more of these were not logged)", "a stream was opened"]
        )
    }

    @Test("At the level of debugging, each of 40 streams is logged")
    func everything() {
        let lines = Lines(level: .debug)
        let log = PeerLog(Logger(label: "test") { _ in lines })
        for number in 0..<40 { log.log("stream.opened", "a stream was opened", uptime: .seconds(number)) }
        #expect(lines.all.count == 40)
    }
}

/// Keeps the messages of a log.
private final class Lines: LogHandler {
    private let lines = Mutex<[String]>([])
    private let level: Logger.Level

    init(level: Logger.Level) { self.level = level }

    var all: [String] { lines.withLock { $0 } }

    var metadata: Logger.Metadata {
        get { [:] }
        set {}
    }
    var logLevel: Logger.Level {
        get { level }
        set {}
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { nil }
        set {}
    }

    func log(event: LogEvent) {
        lines.withLock { $0.append("\(event.message)") }
    }
}
