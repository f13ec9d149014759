import AsyncSupport

/// A service under test has failed.
package struct ServiceFailure: Error, CustomStringConvertible {
    package let description: String
}

/// Runs `services` concurrently with `body`, and has ended all of them when it returns.
///
/// The failure of a service cancels `body` and is thrown, so that a test of a service that does not run reports why.
///
/// - Throws: ``ServiceFailure`` with the errors of the services, and that of `body` if it failed too; else the error of
///   `body`.
package func withServices<Success: Sendable>(
    _ services: [@Sendable () async throws -> Void],
    _ body: @escaping @Sendable () async throws -> Success
) async throws -> Success {
    // Failures while the body ran always count; later ones may be a result of the cancellation.
    var failures: [any Error] = []
    var hasFailedEarly = false
    let result = await withTaskGroup(of: End<Success>.self) { group in
        for service in services { group.addTask { .service(await failure(of: service)) } }
        group.addTask { .body(await Result(catching: body)) }
        var result: Result<Success, any Error>?
        for await end in group {
            switch end {
            case .body(let ended): result = ended
            case .service(nil): continue
            case .service(let failure?):
                failures.append(failure)
                hasFailedEarly = hasFailedEarly || result == nil
            }
            group.cancelAll()
        }
        return result ?? .failure(CancellationError())
    }
    var ending = "it passed"
    if case .failure(let error) = result { ending = "\(error)" } else if !hasFailedEarly { return try result.get() }
    guard !failures.isEmpty else { return try result.get() }
    let all = failures.map { "\($0)" }.joined(separator: "; ")
    throw ServiceFailure(description: "A service under test has failed: \(all). The test: \(ending)")
}

private enum End<Success: Sendable>: Sendable {
    /// The service's error, unless it was only cancelled.
    case service((any Error)?)
    case body(Result<Success, any Error>)
}

/// The error of a service; nil if it has ended or was cancelled.
private func failure(of service: @Sendable () async throws -> Void) async -> (any Error)? {
    do {
        try await service()
        return nil
    } catch {
        return error is CancellationError ? nil : error
    }
}
