import Synchronization
import TestRuns

/// All lines that a program has printed so far, and a way to wait for a line.
package final class Transcript: Sendable {
    /// The line that a test waited for was not printed.
    package struct Missing: Error, CustomStringConvertible {
        package let description: String
    }

    private struct State {
        var lines: [String] = []
        var isOver = false
        var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var nextWaiter: UInt64 = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// All lines so far.
    package var lines: [String] { state.withLock { $0.lines } }

    /// Collects the lines of `reader` until its end.
    package func collect(_ reader: PipeReader) async {
        await reader.forEachLine { line in
            wake { $0.lines.append(line) }
        }
        wake { $0.isOver = true }
    }

    /// The value of `match` for the first line that has one, from line `start` on, whether printed before or later.
    ///
    /// - Throws: ``Missing`` with all lines if the program ends without such a line or the task is cancelled.
    package func first<Match>(
        _ what: @autoclosure () -> String = "a line of a program's output",
        from start: Int = 0,
        at place: String = #fileID,
        line: Int = #line,
        _ match: (String) throws -> Match?
    ) async throws -> Match {
        let what = what()
        return try await awaiting(what, at: place, line: line) { try await first(what, from: start, match) }
    }

    private func first<Match>(
        _ what: String,
        from start: Int,
        _ match: (String) throws -> Match?
    ) async throws -> Match {
        var seen = start
        while true {
            let (lines, isOver) = state.withLock { ($0.lines, $0.isOver) }
            for line in lines[min(seen, lines.count)...] {
                if let match = try match(line) { return match }
            }
            seen = max(seen, lines.count)
            guard !isOver, !Task.isCancelled else {
                throw Missing(description: Self.message(of: what, lines))
            }
            await wait(past: seen)
        }
    }

    /// The first `count` lines for which `condition` holds, once there are so many.
    ///
    /// - Throws: as ``first(_:from:at:line:_:)``.
    @discardableResult
    package func lines(
        _ count: Int,
        _ what: @autoclosure () -> String = "lines of a program's output",
        at place: String = #fileID,
        line: Int = #line,
        where condition: (String) throws -> Bool
    ) async throws -> [String] {
        var found: [String] = []
        return try await first("\(count) times \(what())", at: place, line: line) { line in
            if try condition(line) { found.append(line) }
            return found.count == count ? found : nil
        }
    }

    /// The first line that contains `text`.
    ///
    /// - Throws: as ``first(from:_:)``.
    @discardableResult
    package func line(
        containing text: String,
        from start: Int = 0,
        at place: String = #fileID,
        line: Int = #line
    ) async throws -> String {
        try await first("a line with \"\(text)\"", from: start, at: place, line: line) { $0.contains(text) ? $0 : nil }
    }

    /// The first line of a daemon's log with this event.
    ///
    /// - Throws: as ``first(_:from:at:line:_:)``.
    @discardableResult
    package func event(
        _ name: String,
        from start: Int = 0,
        at place: String = #fileID,
        line: Int = #line
    ) async throws -> String {
        try await first("the event \(name) in a log", from: start, at: place, line: line) { text in
            text.isLogLine(of: name) ? text : nil
        }
    }

    /// All lines of the program, preceded by the errors and warnings, which are easily missed in a long log.
    private static func message(of what: String, _ lines: [String]) -> String {
        let reasons = lines.filter { line in
            [" error ", " warning ", " notice ", "Error: "].contains { line.contains($0) }
        }
        let warnings = reasons.isEmpty ? [] : ["The program's warnings:"] + reasons
        return (["Not found: \(what)."] + warnings + ["All lines of the program:"] + lines).joined(separator: "\n")
    }

    private func wake(_ change: (inout State) -> Void) {
        let waiters = state.withLock { state in
            change(&state)
            defer { state.waiters = [:] }
            return state.waiters.values
        }
        for waiter in waiters { waiter.resume() }
    }

    private func wait(past count: Int) async {
        let ticket = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDue = state.withLock { state in
                    if state.lines.count > count || state.isOver || Task.isCancelled { return true }
                    state.waiters[ticket] = continuation
                    return false
                }
                if isDue { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: ticket) }?.resume()
        }
    }
}

extension String {
    /// Whether this is a line of a daemon's log with that event, such as `radio.ready`.
    ///
    /// Messages may change, but events do not.
    package func isLogLine(of event: String) -> Bool {
        contains(" event=\(event) ") || hasSuffix(" event=\(event)")
    }
}
