import Glibc
import Synchronization
import TestRuns

/// Monitors the time of all tests in a separate thread, which keeps running when no task does.
final class TestMonitor: Sendable {
    /// The monitor of the whole run.
    ///
    /// It also writes its reports to standard error, since no task may be left to record them.
    static let shared = TestMonitor { report in
        let bytes = Array("✘ \(report)\n".utf8)
        _ = bytes.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }

    private struct Watch {
        let run: TestRun
        let limit: Duration
        let begin: ContinuousClock.Instant
        let expiry: AsyncStream<String>.Continuation
        var hasExpired = false
    }

    private struct State {
        var watches: [Watch] = []
        var isRunning = false
    }

    /// How long a test may take to end after its cancellation before the monitor ends the run.
    private static let grace = Duration.seconds(60)

    private let print: @Sendable (String) -> Void
    private let state = Mutex(State())

    init(printing print: @escaping @Sendable (String) -> Void) {
        self.print = print
    }

    /// Yields a report if the test has not ended in time, and then ends.
    func watch(_ run: TestRun, for limit: Duration) -> AsyncStream<String> {
        let (reports, expiry) = AsyncStream<String>.makeStream()
        let watch = Watch(run: run, limit: limit, begin: .now, expiry: expiry)
        let isFirst = state.withLock { state in
            defer { state.isRunning = true }
            state.watches.append(watch)
            return !state.isRunning
        }
        if isFirst { startThread() }
        return reports
    }

    private func startThread() {
        var thread = pthread_t()
        let monitor = Unmanaged.passRetained(self)
        let loop: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { argument in
            guard let argument else { return nil }
            Unmanaged<TestMonitor>.fromOpaque(argument).takeRetainedValue().loop()
        }
        let error = pthread_create(&thread, nil, loop, monitor.toOpaque())
        precondition(error == 0, "cannot start the thread that monitors the tests: \(String(cString: strerror(error)))")
        pthread_detach(thread)
    }

    private func loop() -> Never {
        while true {
            sleep(1)
            look(.now)
        }
    }

    private func look(_ now: ContinuousClock.Instant) {
        let (expired, stuck) = state.withLock { state in
            state.watches.removeAll { $0.run.hasEnded }
            var expired: [Watch] = []
            for index in state.watches.indices where !state.watches[index].hasExpired {
                guard state.watches[index].begin.duration(to: now) > state.watches[index].limit else { continue }
                state.watches[index].hasExpired = true
                expired.append(state.watches[index])
            }
            return (expired, state.watches.first { $0.begin.duration(to: now) > $0.limit + Self.grace })
        }
        for watch in expired {
            let report = Self.report(on: watch)
            print(report)
            watch.expiry.yield(report)
            watch.expiry.finish()
        }
        if let stuck {
            print("The run ends here: \(Self.report(on: stuck)) It was cancelled, but has not ended.")
            _exit(70)
        }
    }

    private static func report(on watch: Watch) -> String {
        let waits = watch.run.waits
        let awaited = waits.isEmpty ? "nothing that it announced" : waits.joined(separator: "; and for ")
        let seconds = watch.limit.components.seconds
        return "Test \"\(watch.run.name)\" has not ended within \(seconds) s. It waited for \(awaited)."
    }
}
