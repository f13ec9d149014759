private import Glibc

/// Runs a program's tasks on threads that wake up only when there is something to do.
///
/// By default Swift's tasks run on libdispatch, which on Linux wakes up once a second for as long as the process lives, to
/// look at its threads (`_dispatch_workq_monitor_pools` in its src/event/workqueue.c). A daemon that rests would never
/// rest.
package enum TaskThreads {
    /// The most threads that tasks need besides the main one.
    package static var count: Int { TaskExecutors.threads }

    /// Runs `program` on the main thread, and its tasks on threads of this module; ends the process with status 0 when
    /// it returns.
    ///
    /// To be called once, by a `main` that is not asynchronous, before any task exists. It returns only if the system
    /// allows no more threads or open files.
    package static func run(_ program: @escaping @MainActor @Sendable () async -> Void) {
        guard TaskExecutors.install() else { return }
        // Of all tasks of a program this is the first, so there is nothing that could await it.
        Task { @MainActor in
            await program()
            exit(EXIT_SUCCESS)
        }
        TaskExecutors.runMain()
    }
}
