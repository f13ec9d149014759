import Synchronization

/// The calls that are answered asynchronously: each runs in a child task of the connection.
final class AsyncHandlers: Sendable {
    /// The maximum number of concurrent calls of one sender.
    ///
    /// Far more than a program that waits for its replies needs.
    static let maximumPerSender = 64

    /// A call to perform.
    struct Work: Sendable {
        let sender: BusName
        let run: @Sendable () async -> Void
    }

    private let running = Mutex<[BusName: Int]>([:])

    /// The calls in the order of their arrival; ends with the connection.
    ///
    /// For one reader.
    let work: AsyncStream<Work>
    private let continuation: AsyncStream<Work>.Continuation

    init() {
        (work, continuation) = AsyncStream.makeStream()
    }

    /// Adds a call; returns false if `sender` has too many calls in progress.
    func add(_ sender: BusName, _ run: @escaping @Sendable () async -> Void) -> Bool {
        let fits = running.withLock { running in
            let count = running[sender, default: 0]
            if count < Self.maximumPerSender { running[sender] = count + 1 }
            return count < Self.maximumPerSender
        }
        if fits { continuation.yield(Work(sender: sender, run: run)) }
        return fits
    }

    /// Ends the sequence ``work``.
    func finish() {
        continuation.finish()
    }

    /// Performs the calls until the connection ends or the task is cancelled; calls in progress are cancelled then.
    func serve() async {
        await withDiscardingTaskGroup { group in
            for await work in self.work {
                group.addTask {
                    await work.run()
                    self.release(work.sender)
                }
            }
            group.cancelAll()
        }
    }

    private func release(_ sender: BusName) {
        running.withLock { running in
            let count = running[sender, default: 1] - 1
            running[sender] = count > 0 ? count : nil
        }
    }
}
