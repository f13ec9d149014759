/// Runs `body` for at most `limit`; past it, cancels and awaits `body` and throws `error`.
///
/// `body` runs in the caller's isolation, but in a child task. A body that ignores its cancellation is awaited beyond
/// the limit, and its result is dropped.
///
/// - Parameters:
///   - limit: the longest time for `body`; with zero or less, `body` may begin before it is cancelled.
///   - clock: measures the limit.
///   - error: is thrown past the limit.
///   - isolation: the caller's.
///   - body: the operation.
/// - Returns: what `body` returns within the limit, even if the calling task has been cancelled meanwhile.
/// - Throws: `error` past the limit; `CancellationError` when the calling task has been cancelled and `body` throws
///   anything; else what `body` throws.
package func withTimeout<Success: Sendable>(
    _ limit: Duration,
    clock: some Clock<Duration> = ProcessClock(),
    throwing error: @autoclosure () -> any Error,
    isolation: isolated (any Actor)? = #isolation,
    body: () async throws -> Success
) async throws -> Success {
    let result = try await withTimeout(limit, clock: clock, isolation: isolation, body: body)
    guard let result else { throw error() }
    return result
}

/// Runs `body` for at most `limit`; past it, cancels and awaits `body` and returns nil.
///
/// - Parameters:
///   - limit: the longest time for `body`; with zero or less, `body` may begin before it is cancelled.
///   - clock: measures the limit.
///   - discard: gets what `body` returns past the limit, for results that need closing.
///   - isolation: the caller's.
///   - body: the operation, as for ``withTimeout(_:clock:throwing:isolation:body:)``.
/// - Returns: what `body` returns within the limit, even if the calling task has been cancelled meanwhile; nil past it.
/// - Throws: `CancellationError` when the calling task has been cancelled and `body` throws anything; else what `body`
///   throws within the limit.
package func withTimeout<Success: Sendable>(
    _ limit: Duration,
    clock: some Clock<Duration> = ProcessClock(),
    discarding discard: (Success) -> Void = { _ in },
    isolation: isolated (any Actor)? = #isolation,
    body: () async throws -> Success
) async throws -> Success? {
    let timer: @Sendable () async throws -> Void = {
        try await clock.sleep(for: limit)
        throw LimitPassed()
    }
    let ending = await ending(of: body, beside: [timer], isolation: isolation)
    switch (ending.interruption, ending.result) {
    case (nil, .success(let value)):
        return value
    case (nil, .failure(let error)):
        throw Task.isCancelled ? CancellationError() : error
    case (_, let result):
        if case .success(let late) = result { discard(late) }
        return nil
    }
}

/// Ends the timer; it never leaves this file.
private struct LimitPassed: Error {}
