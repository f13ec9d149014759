import Synchronization
import TestRuns

/// Everything that a program has said so far, line by line, for anybody who waits for a line.
package final class Transcript: Sendable {
    /// The line that was waited for did not come.
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

    /// Takes in what `reader` reads, to its end.
    package func collect(_ reader: PipeReader) async {
        await reader.forEachLine { line in
            wake { $0.lines.append(line) }
        }
        wake { $0.isOver = true }
    }

    /// The first of the lines for which `match` returns something; those from before count too, from `start` on.
    ///
    /// - Throws: ``Missing``, with all lines, when the program has ended without it, or the task is cancelled.
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
                throw Missing(description: Self.complaint(of: what, lines))
            }
            await wait(past: seen)
        }
    }

    /// The first line that holds `text`.
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

    /// What the program has said, first the lines that may be the reason: it is easily missed in a long log.
    private static func complaint(of what: String, _ lines: [String]) -> String {
        let reasons = lines.filter { line in
            [" error ", " warning ", " notice ", "Error: "].contains { line.contains($0) }
        }
        let warnings = reasons.isEmpty ? [] : ["The program's warnings:"] + reasons
        return (["\(what) did not come."] + warnings + ["All lines of the program:"] + lines).joined(separator: "\n")
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
    /// Whether this is a line of a daemon's log with that event, such as `radio.ready`: sentences may change, events do not.
    package func isLogLine(of event: String) -> Bool {
        contains(" event=\(event) ") || hasSuffix(" event=\(event)")
    }
}
