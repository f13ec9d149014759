private import AsyncSupport
private import Glibc

/// Runs a program's tasks on threads that wake up only when there is something to do.
///
/// By default Swift's tasks run on libdispatch, which on Linux wakes up once a second for as long as the process lives, to
/// look at its threads (`_dispatch_workq_monitor_pools` in its src/event/workqueue.c). A daemon that rests would never
/// rest.
package enum TaskThreads {
    /// The most threads that tasks need besides the main one.
    package static let count = ThreadPool.maximumThreads - 1

    /// Runs `program`, and all tasks that descend from its, on the main thread and others of this module; ends the process
    /// with status 0 when it returns.
    ///
    /// Whatever leaves these threads starts those of libdispatch: a task without a parent, the main actor, and the sleep of
    /// tasks, in place of which there is `ProcessClock`. To be called once, by a `main` that is not asynchronous, before any
    /// task exists. It returns only if the system allows no more open files.
    package static func run(_ program: @escaping @Sendable () async -> Void) {
        guard let pool = ThreadPool() else { return }
        pool.join()
        ProcessClock.use { try await pool.sleep(until: $0) }
        // Of all tasks of a program this is the first, so there is nothing that could await it.
        Task(executorPreference: pool) {
            await program()
            exit(EXIT_SUCCESS)
        }
        pool.runHere()
    }
}
