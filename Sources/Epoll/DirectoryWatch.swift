import AsyncSupport
private import Glibc
package import SystemPackage

/// Reports changes in directories (inotify(7)).
///
/// Instead of a directory that does not exist, its nearest existing ancestor is watched, in which it may appear. If the
/// kernel refuses a watch, ``obstacle`` contains the reason, and `changed(orAfter:)` returns at intervals, so that
/// the caller polls.
package final class DirectoryWatch: Sendable {
    /// The reason why the kernel does not report every change; nil if it does.
    package let obstacle: Obstacle?

    private let changes: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation
    private let subscription: InotifyInstance.Subscription?

    /// The maximum number of directories; further ones are not watched.
    private static let maximumDirectories = 256

    /// Starts watching, through the inotify instance that all watches of this process share.
    ///
    /// - Parameters:
    ///   - directories: the directories to watch; those after the first 256 are ignored.
    ///   - events: the changes to report.
    package convenience init(_ directories: [FilePath], for events: Events = .everything) {
        self.init(directories, for: events, through: .shared)
    }

    /// Starts watching, through an instance of `inotify`.
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

    /// Waits for a change since the watch was created or this last returned; if there is an ``obstacle``, waits for
    /// `interval` instead.
    ///
    /// A return is a hint: more than one change may have happened, and with an obstacle possibly none. After a wait was
    /// cancelled, the watch reports no more changes.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    package func changed(orAfter interval: Duration) async throws(CancellationError) {
        if obstacle != nil {
            guard (try? await sleep(for: interval)) != nil else { throw CancellationError() }
            return
        }
        for await _ in changes { return }
        throw CancellationError()
    }

    /// - Returns: the error of the first directory that exists and cannot be watched; nil if there is none.
    private static func watch(
        _ directories: ArraySlice<FilePath>,
        _ events: Events,
        _ subscription: InotifyInstance.Subscription
    ) -> Errno? {
        var obstacle: Errno?
        for directory in directories { watch(directory, events, subscription, &obstacle) }
        return obstacle
    }

    /// Watches a directory, or its nearest existing ancestor.
    private static func watch(
        _ directory: FilePath,
        _ events: Events,
        _ subscription: InotifyInstance.Subscription,
        _ obstacle: inout Errno?
    ) {
        var watched: FilePath?
        while true {
            var path = directory
            while !subscription.watch(path, path == directory ? events.inside : Events.above, &obstacle) {
                guard path.removeLastComponent() else { return }
            }
            // What is below an ancestor may have appeared before the ancestor was watched, so it is tried again.
            guard path != directory, path != watched else { return }
            watched = path
        }
    }
}

extension DirectoryWatch {
    /// The changes that are reported.
    package enum Events: Sendable {
        /// Files that appear, disappear or are written, and moves or removals of the directories themselves.
        case everything
        /// Files that are complete: written and closed, moved, or removed.
        case completeFiles
        /// Files, sockets and directories that appear.
        case appearance

        var inside: UInt32 {
            let files = UInt32(IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE)
            return switch self {
            case .everything: files | UInt32(IN_CREATE | IN_DELETE_SELF | IN_MOVE_SELF)
            case .completeFiles: files
            case .appearance: UInt32(IN_CREATE | IN_MOVED_TO)
            }
        }

        /// The events of an ancestor in which a watched directory may appear, or become readable.
        static var above: UInt32 { UInt32(IN_MOVED_TO | IN_CREATE | IN_ATTRIB | IN_ONLYDIR) }
    }

    /// The reason why the kernel does not report changes; its description says what to do about it.
    package struct Obstacle: Hashable, Sendable, CustomStringConvertible {
        /// The error of inotify_init1(2), inotify_add_watch(2) or pthread_create(3).
        package let error: Errno

        package var description: String {
            switch error {
            case .tooManyOpenFiles:
                "no inotify instance or file descriptor is left (\(error)): end programs that watch files, or raise "
                    + "fs.inotify.max_user_instances (sysctl) or the limit on open files (ulimit -n)"
            case .noSpace:
                "no inotify watch is left (\(error)): end programs that watch files, or raise "
                    + "fs.inotify.max_user_watches (sysctl)"
            default: "inotify cannot be used (\(error))"
            }
        }
    }
}
