private import Glibc
private import Synchronization
import SystemPackage

/// Opens inotify instances, of which each process needs at most one.
///
/// By default a user has 128 instances for all programs together (`fs.inotify.max_user_instances`, inotify(7)), so all
/// watches of a process share one.
package final class Inotify: Sendable {
    /// The shared object for all directory watches of this process.
    package static let shared = Inotify { inotify_init1(CInt(IN_CLOEXEC | IN_NONBLOCK)) }

    private struct Current {
        weak var instance: InotifyInstance?
    }

    private let open: @Sendable () -> CInt
    private let current = Mutex(Current())

    /// - Parameter open: creates a nonblocking instance; returns a negative number and sets `errno` on failure.
    package init(opening open: @escaping @Sendable () -> CInt) {
        self.open = open
    }

    /// Returns the instance in use, or a new one; it is closed with its last subscription.
    ///
    /// - Throws: the error of inotify_init1(2), or of ``EventLoop/shared()``.
    func instance() throws(Errno) -> InotifyInstance {
        try current.withLock { (current: inout Current) throws(Errno) -> InotifyInstance in
            if let instance = current.instance { return instance }
            let instance = try InotifyInstance(Descriptor(opening: open))
            current.instance = instance
            return instance
        }
    }
}
