/// Runs `body` to its end, with `tasks` beside it for as long as it runs.
///
/// `body` runs in the caller's isolation, but in a child task: it must not add tasks to a task group of the caller.
/// The background tasks are cancelled when `body` ends. A background task that returns has no effect; one that throws
/// cancels `body` and the other tasks. When the calling task is cancelled, all of them are cancelled, and the result
/// or error of `body` counts. All of them have ended when this function returns or throws.
///
/// - Returns: what `body` returns.
/// - Throws: the first error of a background task, if it comes before `body` has ended and before the calling task was
///   cancelled, whatever `body` returns or throws after it; else what `body` throws.
package func withBackgroundTasks<Success: Sendable>(
    _ tasks: [@Sendable () async throws -> Void],
    isolation: isolated (any Actor)? = #isolation,
    body: () async throws -> Success
) async throws -> Success {
    let ending = await ending(of: body, beside: tasks, isolation: isolation)
    if let interruption = ending.interruption { throw interruption }
    return try ending.result.get()
}

/// How a body has ended that ran beside background tasks.
struct BodyEnding<Success: Sendable>: Sendable {
    /// What the body has returned or thrown.
    let result: Result<Success, any Error>
    /// The error of a background task that has cancelled the body; nil when no background task has.
    let interruption: (any Error)?
}

/// Does the work of ``withBackgroundTasks(_:isolation:body:)``, and returns both the body's result and its
/// interruption.
func ending<Success: Sendable>(
    of body: () async throws -> Success,
    beside tasks: [@Sendable () async throws -> Void],
    isolation: isolated (any Actor)?
) async -> BodyEnding<Success> {
    await withoutActuallyEscaping(body) { escapable in
        // `body` may use all that the caller may: values that are not Sendable, and the state of the caller's actor. A
        // child task may run it nevertheless, because no other code uses any of that at the same time or after its end:
        // - Only one child task of the group below calls `body`, once. The group awaits its child tasks, so `body` has
        //   ended when this function returns, and all that the caller has lent to it still exists.
        // - The caller is suspended meanwhile, and this function touches nothing that `body` uses.
        // - The background tasks are Sendable closures, so they share only Sendable values with `body`.
        // - The child task runs in the caller's isolation, because it captures `isolation`. So other code of the
        //   caller's actor, which may run while the caller is suspended, takes turns with `body` as it would with the
        //   caller.
        // - The caller creates the child task before it runs and awaits its end, which orders their memory accesses.
        nonisolated(unsafe) let body = escapable
        return await withTaskGroup(of: ChildEnding<Success>.self) { group in
            group.addTask {
                _ = isolation
                return .body(await Result(catching: body))
            }
            for task in tasks {
                group.addTask { .background(await Result(catching: task)) }
            }
            return await ending(of: &group)
        }
    }
}

/// How a child task has ended.
private enum ChildEnding<Success: Sendable>: Sendable {
    case body(Result<Success, any Error>)
    case background(Result<Void, any Error>)
}

/// Awaits all child tasks, and cancels the others when `body` ends or a background task interrupts it.
private func ending<Success: Sendable>(
    of group: inout TaskGroup<ChildEnding<Success>>
) async -> BodyEnding<Success> {
    var result: Result<Success, any Error>?
    var interruption: (any Error)?
    while let ending = await group.next() {
        switch ending {
        case .body(let bodyResult):
            result = bodyResult
            group.cancelAll()
        case .background(.failure(let error)) where result == nil && interruption == nil && !Task.isCancelled:
            interruption = error
            group.cancelAll()
        case .background:
            break
        }
    }
    guard let result else { preconditionFailure("a child task has ended without a result") }
    return BodyEnding(result: result, interruption: interruption)
}
