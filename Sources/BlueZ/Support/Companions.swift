/// Runs `body` until it ends, and `companions` beside it until then.
///
/// A companion that throws ends everything: `body` is cancelled and the companion's error is thrown, whatever `body`
/// gives. A companion that returns is not missed. When the calling task is cancelled, all are, and what `body` gives
/// counts. Everything has ended when this returns.
package func withCompanions<Success: Sendable>(
    _ companions: [@Sendable () async throws -> Void],
    isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws -> Success
) async throws -> Success {
    try await withoutActuallyEscaping(body) { escapable in
        // Safe: the child that runs it has ended before this function returns, and runs where the caller runs.
        nonisolated(unsafe) let body = escapable
        let result = await withTaskGroup(of: Ending<Success>.self) { group in
            group.addTask {
                _ = isolation
                do { return .body(.success(try await body())) } catch { return .body(.failure(error)) }
            }
            for companion in companions {
                group.addTask {
                    do { try await companion() } catch { return .companion(error) }
                    return .companion(nil)
                }
            }
            return await verdict(of: &group)
        }
        return try result.get()
    }
}

/// How one of the children ended.
private enum Ending<Success: Sendable>: Sendable {
    case body(Result<Success, any Error>)
    case companion((any Error)?)
}

/// Awaits all children, cancelling the others as soon as one of them settles the matter.
private func verdict<Success: Sendable>(
    of group: inout TaskGroup<Ending<Success>>
) async -> Result<Success, any Error> {
    var verdict: Result<Success, any Error>?
    var given: Result<Success, any Error>?
    while let ending = await group.next() {
        switch ending {
        case .body(let result):
            given = result
            verdict = verdict ?? result
            group.cancelAll()
        case .companion(let error?) where verdict == nil && !Task.isCancelled:
            verdict = .failure(error)
            group.cancelAll()
        case .companion:
            break
        }
    }
    return verdict ?? given ?? .failure(CancellationError())
}
