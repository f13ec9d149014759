/// Runs `services` beside `body`, for as long as it runs; the first error of either cancels the rest.
///
/// Everything has ended when this returns.
///
/// - Throws: what came first, the error of a service or what `body` throws. A service that returns is no longer needed.
func withServices<Success: Sendable>(
    _ services: [@Sendable () async throws -> Void],
    _ body: () async throws -> Success
) async throws -> Success {
    let run: (@escaping () async throws -> Success) async throws -> Success = { body in
        try await runGroup(services, Lent(call: body))
    }
    return try await withoutActuallyEscaping(body, do: run)
}

private func runGroup<Success: Sendable>(
    _ services: [@Sendable () async throws -> Void],
    _ body: Lent<Success>
) async throws -> Success {
    try await withThrowingTaskGroup(of: Success?.self) { group in
        defer { group.cancelAll() }
        group.addTask { .some(try await body.call()) }
        for service in services {
            group.addTask {
                try await service()
                return nil
            }
        }
        while let ended = try await group.next() {
            if case .some(let success) = ended { return success }
        }
        preconditionFailure("The body of withServices ended without a result.")
    }
}

/// A closure lent to a child task.
///
/// Unchecked, for the lender is suspended while the child task calls it, and the child ends before the lender goes on.
private struct Lent<Success>: @unchecked Sendable {
    let call: () async throws -> Success
}

/// Runs `body` and cancels it after `timeout`.
///
/// - Throws: `error` when the time is up; else what `body` throws.
func withDeadline<Success: Sendable>(
    after timeout: Duration,
    throwing error: some Error,
    _ body: () async throws -> Success
) async throws -> Success {
    let clock: @Sendable () async throws -> Void = {
        guard (try? await Task.sleep(for: timeout)) != nil else { return }
        throw error
    }
    return try await withServices([clock], body)
}
