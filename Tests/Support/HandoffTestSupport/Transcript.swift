import Synchronization

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
    package func first<Match>(from start: Int = 0, _ match: (String) throws -> Match?) async throws -> Match {
        var seen = start
        while true {
            let (lines, isOver) = state.withLock { ($0.lines, $0.isOver) }
            for line in lines[min(seen, lines.count)...] {
                if let match = try match(line) { return match }
            }
            seen = max(seen, lines.count)
            guard !isOver, !Task.isCancelled else {
                throw Missing(description: "the line did not come; there were:\n" + lines.joined(separator: "\n"))
            }
            await wait(past: seen)
        }
    }

    /// The first line that holds `text`.
    ///
    /// - Throws: as ``first(from:_:)``.
    @discardableResult
    package func line(containing text: String, from start: Int = 0) async throws -> String {
        try await first(from: start) { $0.contains(text) ? $0 : nil }
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
