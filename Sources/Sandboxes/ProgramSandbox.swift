private import CLinux
import DBus
private import Epoll
private import Glibc
import SystemPackage

/// A sandbox that a program runs in.
package enum ProgramSandbox: Hashable, Sendable, CustomStringConvertible {
    case flatpak
    /// A snap, with the security label of its process.
    case snap(label: String)

    package var description: String {
        switch self {
        case .flatpak: "Flatpak"
        case .snap(let label): "Snap (\(label))"
        }
    }

    /// Finds the sandbox of the program that has opened a connection; nil for a program outside any.
    ///
    /// May block on a file system of the sandbox.
    ///
    /// - Throws: `ESRCH` when the program has ended or the bus does not know it, and the error of fstatat(2) when its
    ///   root directory cannot be examined, such as `EACCES` for a program that does not let others look at it.
    init?(of credentials: ConnectionCredentials) throws(Errno) {
        if let label = credentials.securityLabel, Self.isOfSnap(label) {
            self = .snap(label: label)
            return
        }
        guard let id = credentials.processID, let id = Int32(exactly: id), id > 0 else { throw .noSuchProcess }
        guard try Self.isInFlatpak(id, credentials.process) else { return nil }
        self = .flatpak
    }

    /// Whether a label is one that snapd gives to the programs of a snap, such as `snap.editor.editor (enforce)`.
    static func isOfSnap(_ label: String) -> Bool { label.hasPrefix("snap.") }

    /// Whether a process has the file at its root by which Flatpak marks its sandboxes (flatpak-metadata(5)).
    ///
    /// A Flatpak whose calls are filtered reaches the bus through xdg-dbus-proxy, which flatpak-run starts with the same
    /// file at its root.
    private static func isInFlatpak(_ process: Int32, _ handle: UnixFD?) throws(Errno) -> Bool {
        // Without a handle from the bus, the id may belong to another process already; from here on it is the same.
        let handle = if let handle { handle } else { UnixFD(taking: try systemCall { handoff_pidfd_open(process) }) }
        let root = "/proc/\(process)/root/"
        try examine(root)
        var isMarked = true
        do throws(Errno) { try examine(root + ".flatpak-info") } catch .noSuchFileOrDirectory { isMarked = false }
        guard handle.withFileDescriptor({ isRunning($0) }) else { throw .noSuchProcess }
        return isMarked
    }

    private static func examine(_ path: String) throws(Errno) {
        var status = stat()
        _ = try systemCall { fstatat(AT_FDCWD, path, &status, AT_SYMLINK_NOFOLLOW) }
    }

    /// Whether the process of a pidfd still runs: its descriptor is readable once it has ended (pidfd_open(2)).
    private static func isRunning(_ handle: Int32) -> Bool {
        var end = pollfd(fd: handle, events: Int16(POLLIN), revents: 0)
        return poll(&end, 1, 0) == 0
    }
}
