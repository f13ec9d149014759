private import CLinux
package import Epoll
private import Glibc
package import SystemPackage

/// Tells once that something has changed in the directories of desktop files (inotify(7)).
///
/// In place of a directory that does not exist, the nearest one above it is watched, in which it may appear.
package struct AppWatch: Sendable {
    private let notifications: ReactorDescriptor

    /// More directories are not watched; what changes in them is seen when something else changes.
    private static let mostWatches = 256

    /// Watches from now on.
    ///
    /// - Throws: the error of inotify_init1(2), such as `EMFILE` where the user has too many watchers.
    package init(_ directories: [String], on reactor: Reactor) throws(Errno) {
        let descriptor = try Descriptor { inotify_init1(CInt(IN_CLOEXEC | IN_NONBLOCK)) }
        let inside = UInt32(IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_CREATE | IN_DELETE_SELF)
        let above = UInt32(IN_MOVED_TO | IN_CREATE | IN_ONLYDIR)
        for directory in directories.prefix(Self.mostWatches) {
            if inotify_add_watch(descriptor.rawValue, directory, inside) >= 0 { continue }
            var path = directory
            while let slash = path.lastIndex(of: "/"), slash != path.startIndex {
                path = String(path[..<slash])
                if inotify_add_watch(descriptor.rawValue, path, above | UInt32(IN_MASK_ADD)) >= 0 { break }
            }
        }
        notifications = try ReactorDescriptor(descriptor, on: reactor)
    }

    /// Waits until something has changed.
    ///
    /// - Throws: `ECANCELED` when the task is cancelled.
    package func changed() async throws(Errno) {
        let capacity = 4096
        _ = try await notifications.whenReady(for: .reading) { descriptor throws(Errno) in
            var bytes = [UInt8](repeating: 0, count: capacity)
            return try systemCall { read(descriptor, &bytes, capacity) }
        }
    }
}
