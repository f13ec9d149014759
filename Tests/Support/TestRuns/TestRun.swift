import Glibc
import Synchronization

/// A running test: what its tasks wait for, and how many inotify instances its programs use.
package final class TestRun: Sendable {
    /// The test of the current task; nil outside tests with a time limit.
    @TaskLocal package static var current: TestRun?

    /// An event that a task of the test waits for.
    package struct Wait: Sendable {
        let what: String
        let place: String
        let task: String
        let begin: ContinuousClock.Instant
    }

    private struct State {
        var waits: [UInt64: Wait] = [:]
        var lastWait: UInt64 = 0
        var instances = 0
        var hasEnded = false
    }

    package let name: String
    private let maximumInstances: Int
    private let state = Mutex(State())

    /// - Parameters:
    ///   - name: the name of the test in messages.
    ///   - maximumInstances: how many inotify instances its programs may use at the same time.
    package init(name: String, maximumInstances: Int) {
        self.name = name
        self.maximumInstances = maximumInstances
    }

    /// What its tasks wait for, one line each, with the longest wait first.
    package var waits: [String] {
        let waits = state.withLock { $0.waits.values.sorted { $0.begin < $1.begin } }
        return waits.map { wait in
            let seconds = wait.begin.duration(to: .now).components.seconds
            return "\(wait.what), for \(seconds) s, in \(wait.task) at \(wait.place)"
        }
    }

    /// Whether ``end()`` was called.
    package var hasEnded: Bool { state.withLock(\.hasEnded) }

    package func end() {
        state.withLock { $0.hasEnded = true }
    }

    fileprivate func begin(_ wait: Wait) -> UInt64 {
        state.withLock { state in
            state.lastWait += 1
            state.waits[state.lastWait] = wait
            return state.lastWait
        }
    }

    fileprivate func end(_ wait: UInt64) {
        state.withLock { $0.waits[wait] = nil }
    }

    fileprivate func take(_ count: Int) throws {
        let taken = state.withLock { state in
            state.instances += count
            return state.instances
        }
        guard taken <= maximumInstances else { throw TooManyInstances(taken: taken, maximum: maximumInstances) }
    }

    fileprivate func giveBack(_ count: Int) {
        state.withLock { $0.instances -= count }
    }
}

/// A test has started programs with more inotify instances than its suite declares.
package struct TooManyInstances: Error, CustomStringConvertible {
    let taken: Int
    let maximum: Int

    package var description: String {
        "The programs of this test use \(taken) inotify instances at once, and its suite declares \(maximum): "
            + "raise `instances` in the suite's `.endsWithin(…)`."
    }
}

/// Runs `body`, which starts programs that use `count` inotify instances and has ended them when it returns.
///
/// Each dbus-daemon uses one and each handoffd uses one. A user has 128 for all programs.
///
/// - Throws: ``TooManyInstances`` if the suite declares too few; else the error of `body`.
package func takingInstances<Success>(_ count: Int = 1, _ body: () async throws -> Success) async throws -> Success {
    defer { TestRun.current?.giveBack(count) }
    try TestRun.current?.take(count)
    return try await body()
}

/// Runs `body`, which waits for `what`; the report of a test that does not end in time lists it.
///
/// - Parameter what: what the task waits for, as a noun: "the end of handoffctl".
package func awaiting<Success, Failure: Error>(
    _ what: @autoclosure () -> String,
    at place: String = #fileID,
    line: Int = #line,
    _ body: () async throws(Failure) -> Success
) async throws(Failure) -> Success {
    guard let run = TestRun.current else { return try await body() }
    let task = withUnsafeCurrentTask { task in
        Task.name.map { "task \"\($0)\"" } ?? "task \(String(UInt(bitPattern: task?.hashValue ?? 0), radix: 16))"
    }
    let wait = run.begin(TestRun.Wait(what: what(), place: "\(place):\(line)", task: task, begin: .now))
    defer { run.end(wait) }
    return try await body()
}
