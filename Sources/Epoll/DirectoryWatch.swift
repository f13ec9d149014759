private import CLinux
private import Glibc
package import SystemPackage

/// Tells that something has changed in some directories (inotify(7)).
///
/// In place of a directory that does not exist, the nearest one above it is watched, in which it may appear.
package struct DirectoryWatch: Sendable {
    private let notifications: ReactorDescriptor

    /// More directories are not watched.
    private static let mostWatches = 256

    /// Watches from now on: files that come, go or are written, and the directories themselves being moved or removed.
    ///
    /// - Parameters:
    ///   - directories: what to watch; past the first 256 they are left out.
    ///   - reactor: what waits for the changes.
    /// - Throws: the error of inotify_init1(2), such as `EMFILE` where the user has too many watchers.
    package init(_ directories: [FilePath], on reactor: Reactor) throws(Errno) {
        let descriptor = try Descriptor { inotify_init1(CInt(IN_CLOEXEC | IN_NONBLOCK)) }
        let inside = UInt32(
            IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_CREATE | IN_DELETE_SELF | IN_MOVE_SELF
        )
        let above = UInt32(IN_MOVED_TO | IN_CREATE | IN_ONLYDIR | IN_MASK_ADD)
        for directory in directories.prefix(Self.mostWatches) {
            if Self.watch(directory, inside | UInt32(IN_MASK_ADD), descriptor) { continue }
            var path = directory
            while path.removeLastComponent(), !Self.watch(path, above, descriptor) {}
        }
        notifications = try ReactorDescriptor(descriptor, on: reactor)
    }

    /// Waits until something has changed since the watch was made, or since this has last returned.
    ///
    /// - Throws: `ECANCELED` when the task is cancelled.
    package func changed() async throws(Errno) {
        let capacity = 4096
        _ = try await notifications.whenReady(for: .reading) { descriptor throws(Errno) in
            var bytes = [UInt8](repeating: 0, count: capacity)
            return try systemCall { read(descriptor, &bytes, capacity) }
        }
    }

    private static func watch(_ path: FilePath, _ events: UInt32, _ descriptor: borrowing Descriptor) -> Bool {
        let raw = descriptor.rawValue
        return path.withPlatformString { inotify_add_watch(raw, $0, events) >= 0 }
    }
}
