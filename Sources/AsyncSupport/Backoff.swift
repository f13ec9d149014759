/// The delays between attempts at something that fails: each delay is a multiple of the last one, up to the longest.
///
/// A value without a clock, except in its `wait` functions.
package struct Backoff: Sendable {
    /// The longest delay.
    package let longest: Duration

    /// The delay before the next attempt.
    package private(set) var nextDelay: Duration

    private let first: Duration
    private let factor: Int

    /// Makes a back-off that begins with the first delay.
    ///
    /// - Parameters:
    ///   - first: the first delay, more than zero.
    ///   - factor: the ratio of each delay to the last one, at least 1.
    ///   - longest: the longest delay, at least `first`.
    package init(first: Duration, factor: Int = 2, longest: Duration) {
        precondition(first > .zero && factor >= 1 && longest >= first, "the delays of a back-off must not shrink")
        self.first = first
        self.factor = factor
        self.longest = longest
        nextDelay = first
    }

    /// Returns the delay before the next attempt, and lengthens the delay after it.
    package mutating func advance() -> Duration {
        // Divided, because a product may overflow.
        defer { nextDelay = nextDelay > longest / factor ? longest : nextDelay * factor }
        return nextDelay
    }

    /// Begins again with the first delay; to be called after a success.
    package mutating func reset() {
        nextDelay = first
    }

    /// Waits for the delay before the next attempt, and lengthens the delay after it.
    ///
    /// - Throws: `CancellationError` when the task is cancelled first.
    package mutating func wait(clock: some Clock<Duration> = ProcessClock()) async throws {
        try await clock.sleep(for: advance())
    }

    /// Waits for the delay before the next attempt, or until `value` changes if that is earlier; lengthens the delay
    /// after it in either case.
    ///
    /// - Parameters:
    ///   - value: its change makes the next attempt worthwhile at once.
    ///   - snapshot: the value that the last attempt was made with.
    ///   - clock: measures the delay.
    /// - Returns: the newest value, which is that of `snapshot` if it has not changed.
    /// - Throws: `CancellationError` when the task is cancelled first.
    package mutating func wait<Value>(
        orUntil value: CurrentValue<Value>,
        changesSince snapshot: CurrentValue<Value>.Snapshot,
        clock: some Clock<Duration> = ProcessClock()
    ) async throws -> CurrentValue<Value>.Snapshot {
        let delay = advance()
        return try await race {
            try await value.changed(since: snapshot)
        } _: {
            try await clock.sleep(for: delay)
            return value.current
        }
    }
}
