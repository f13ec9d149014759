#if compiler(>=6.3) && compiler(<6.4)
    private import Glibc
    @_spi(ExperimentalCustomExecutors) @_spi(ExperimentalScheduling) import _Concurrency

    // What replaces the executors of a process is not stable yet: another compiler keeps libdispatch.

    /// Replaces the executors of this process.
    enum TaskExecutors {
        private struct Factory: ExecutorFactory {
            static var mainExecutor: any MainExecutor { made(MainThread.shared) }
            static var defaultExecutor: any TaskExecutor { made(ThreadPool.shared) }

            private static func made<Executor>(_ executor: Executor?) -> Executor {
                guard let executor else { preconditionFailure("the executors are replaced only when they exist") }
                return executor
            }
        }

        /// The most threads of this process besides the main one.
        static var threads: Int { ThreadPool.maximumThreads }

        /// Makes all tasks of this process run on ``ThreadPool`` and ``MainThread``; to be called before any exists.
        ///
        /// - Returns: false when the system allows no more threads or descriptors.
        static func install() -> Bool {
            guard MainThread.shared != nil, let pool = ThreadPool.shared else { return false }
            _createExecutors(factory: Factory.self)
            return pool.start()
        }

        /// Runs what is for the main thread, for ever.
        static func runMain() -> Never {
            guard let main = MainThread.shared else {
                preconditionFailure("to be called once the executors are replaced")
            }
            main.runForever()
        }
    }

    extension ThreadPool: SchedulingExecutor {
        func enqueue<C: Clock>(
            _ job: consuming ExecutorJob,
            after delay: C.Duration,
            tolerance: C.Duration?,
            clock: C
        ) {
            let descriptorClock = clock is SuspendingClock ? CLOCK_MONOTONIC : CLOCK_BOOTTIME
            // Swift's own clocks count in it.
            add(UnownedJob(job), after: delay as? Duration ?? .zero, on: descriptorClock)
        }

        func enqueue<C: Clock>(
            _ job: consuming ExecutorJob,
            at instant: C.Instant,
            tolerance: C.Duration?,
            clock: C
        ) {
            enqueue(job, after: clock.now.duration(to: instant), tolerance: tolerance, clock: clock)
        }
    }

    extension MainThread: MainExecutor {
        /// Runs jobs for ever.
        func run() throws {
            runForever()
        }

        /// The program ends by exit(3) only.
        func stop() {}
    }
#else
    private import Dispatch
    private import Epoll

    /// Leaves the executors of this process as they are.
    enum TaskExecutors {
        /// The most threads of this process besides the main one: those of libdispatch.
        static var threads: Int { ThreadSupply.poolThreads }

        /// Does nothing.
        static func install() -> Bool { true }

        /// Runs what is for the main thread, for ever.
        static func runMain() -> Never {
            dispatchMain()
        }
    }
#endif
