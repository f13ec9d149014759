// The functions to replace the executors of a process are not stable yet; another compiler keeps libdispatch.
#if compiler(>=6.3) && compiler(<6.4)
@_spi(ExperimentalCustomExecutors) import _Concurrency

/// Replaces the executors of this process.
enum TaskExecutors {
    private struct Factory: ExecutorFactory {
        static let mainExecutor: any MainExecutor = MainThread.shared
        static let defaultExecutor: any TaskExecutor = ThreadPool.shared
    }

    /// Makes all tasks of this process run on ``ThreadPool`` and ``MainThread``; to be called before any task exists.
    static func install() {
        _createExecutors(factory: Factory.self)
    }

    /// Runs what is for the main thread, for ever.
    static func runMain() -> Never {
        MainThread.shared.runForever()
    }
}
#else
private import Dispatch

/// Leaves the executors of this process as they are.
enum TaskExecutors {
    /// Does nothing.
    static func install() {}

    /// Runs what is for the main thread, for ever.
    static func runMain() -> Never {
        dispatchMain()
    }
}
#endif
