private import Glibc
package import SystemPackage

/// Reports that a program has closed a file that it read (inotify(7)).
package final class ReaderWatch: Sendable {
    private let closings: AsyncStream<Void>
    private let subscription: InotifyInstance.Subscription

    /// Starts watching, through the inotify instance that all watches of this process share.
    ///
    /// - Parameter path: a file that nobody reads yet. It may be removed from its directory once a program has opened it.
    /// - Throws: the error of inotify_init1(2), inotify_add_watch(2) or pthread_create(3).
    package init(_ path: FilePath) throws(Errno) {
        let (closings, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.closings = closings
        subscription = try Inotify.shared.instance().subscription(continuation)
        var obstacle: Errno?
        guard subscription.watch(path, UInt32(IN_CLOSE_NOWRITE), &obstacle) else {
            throw obstacle ?? .noSuchFileOrDirectory
        }
    }

    /// Waits until everybody who shares a descriptor by which the file was read has closed it, or has ended.
    ///
    /// It returns too early if the kernel has lost events, of which it keeps thousands. After a wait was cancelled, the
    /// watch reports nothing more.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    package func closed() async throws(CancellationError) {
        for await _ in closings { return }
        throw CancellationError()
    }
}
