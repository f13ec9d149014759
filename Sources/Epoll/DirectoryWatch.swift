private import CLinux
package import SystemPackage

/// Reports that something has changed in some directories (inotify(7)).
///
/// In place of a directory that does not exist, the nearest existing one above it is watched, in which it may appear. Where
/// the kernel grants no watch, ``obstacle`` says why and ``changed(orAfter:)`` returns at intervals, so that the caller looks
/// again by itself.
package final class DirectoryWatch: Sendable {
    /// Why the kernel does not report every change; nil where it does.
    package let obstacle: Obstacle?

    private let changes: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation
    private let subscription: InotifyInstance.Subscription?

    /// More directories are not watched.
    private static let maximumDirectories = 256

    /// Watches from now on, through the inotify instance that all watches of this process share.
    ///
    /// - Parameters:
    ///   - directories: what to watch; those after the first 256 are left out.
    ///   - events: which changes count.
    package convenience init(_ directories: [FilePath], for events: Events = .everything) {
        self.init(directories, for: events, through: .shared)
    }

    /// Watches from now on, through an instance of `inotify`.
    package init(_ directories: [FilePath], for events: Events = .everything, through inotify: Inotify) {
        (changes, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        do throws(Errno) {
            let subscription = try inotify.instance().subscription(continuation)
            self.subscription = subscription
            obstacle = Self.watch(directories.prefix(Self.maximumDirectories), events, subscription).map(Obstacle.init)
        } catch {
            subscription = nil
            obstacle = Obstacle(error: error)
        }
    }

    /// Waits until something has changed since the watch was made, or since this has last returned; where there is an
    /// ``obstacle``, for `interval`.
    ///
    /// A return is a hint: something else may have changed, too, and with an obstacle nothing need have. A watch whose wait was
    /// cancelled reports nothing any more.
    ///
    /// - Throws: `ECANCELED` when the task is cancelled.
    package func changed(orAfter interval: Duration) async throws(Errno) {
        if obstacle != nil {
            guard (try? await Task.sleep(for: interval)) != nil else { throw .canceled }
            return
        }
        for await _ in changes { return }
        throw .canceled
    }

    /// - Returns: the error of the first directory that exists and cannot be watched; nil where there is none.
    private static func watch(
        _ directories: ArraySlice<FilePath>,
        _ events: Events,
        _ subscription: InotifyInstance.Subscription
    ) -> Errno? {
        var obstacle: Errno?
        for directory in directories {
            if subscription.watch(directory, events.inside, &obstacle) { continue }
            var path = directory
            while path.removeLastComponent(), !subscription.watch(path, Events.above, &obstacle) {}
        }
        return obstacle
    }
}

extension DirectoryWatch {
    /// Which changes count.
    package enum Events: Sendable {
        /// Files that appear, disappear or are written, and the directories themselves being moved or removed.
        case everything
        /// Files that are complete: written and closed, moved, or removed.
        case completeFiles

        var inside: UInt32 {
            let files = UInt32(IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE)
            return switch self {
            case .everything: files | UInt32(IN_CREATE | IN_DELETE_SELF | IN_MOVE_SELF)
            case .completeFiles: files
            }
        }

        /// The events in a directory in which a watched one may appear.
        static var above: UInt32 { UInt32(IN_MOVED_TO | IN_CREATE | IN_ONLYDIR) }
    }

    /// Why the kernel does not report changes, and what to do about it.
    package struct Obstacle: Hashable, Sendable, CustomStringConvertible {
        /// The error of inotify_init1(2), inotify_add_watch(2) or pthread_create(3).
        package let error: Errno

        package var description: String {
            switch error {
            case .tooManyOpenFiles:
                "no inotify instance or file descriptor is left (\(error)): end programs that watch files, or raise "
                    + "fs.inotify.max_user_instances (sysctl) or the limit on open files (ulimit -n)"
            case .noSpace:
                "no inotify watch is left (\(error)): end programs that watch files, or raise fs.inotify.max_user_watches "
                    + "(sysctl)"
            default: "inotify cannot be used (\(error))"
            }
        }
    }
}
