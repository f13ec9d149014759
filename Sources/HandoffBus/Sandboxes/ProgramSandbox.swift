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
    /// - Parameter processes: the directory of the kernel's files about processes (proc(5)); another one in tests.
    /// - Throws: `ESRCH` when the program has ended or the bus does not know it, and the error of the system when its
    ///   root directory or its label cannot be examined, such as `EACCES` for a program that does not let others look at
    ///   its root.
    init?(of credentials: ConnectionCredentials, processes: String = "/proc") throws(Errno) {
        if let label = credentials.securityLabel, Self.isOfConfinedSnap(label) {
            self = .snap(label: label)
            return
        }
        guard let id = credentials.processID, let id = Int32(exactly: id), id > 0 else { throw .noSuchProcess }
        // Without a handle from the bus, the id may belong to another process already; from here on it is the same.
        let handle =
            if let handle = credentials.process { handle } else {
                UnixFD(taking: try systemCall { handoff_pidfd_open(id) })
            }
        let directory = "\(processes)/\(id)"
        let label = credentials.securityLabel == nil ? try Self.label(ofProcessIn: directory) : nil
        let isInFlatpak = try Self.isInFlatpak(directory)
        guard handle.withFileDescriptor({ Self.isRunning($0) }) else { throw .noSuchProcess }
        if let label, Self.isOfConfinedSnap(label) {
            self = .snap(label: label)
        } else if isInFlatpak {
            self = .flatpak
        } else {
            return nil
        }
    }

    /// Whether a label is one that snapd gives to the programs of a snap that it confines, such as
    /// `snap.editor.editor (enforce)`.
    ///
    /// The profiles of classic snaps and of those in developer mode forbid nothing, and so are in the mode `complain`, or
    /// `unconfined` (snapd interfaces/apparmor/backend.go): such an app is in no sandbox, nor is what a shell in it starts.
    static func isOfConfinedSnap(_ label: String) -> Bool {
        label.hasPrefix("snap.") && !["complain", "unconfined"].contains { label.hasSuffix(" (\($0))") }
    }

    /// Returns the AppArmor label of a process, or that of another module; nil when the kernel gives none.
    ///
    /// Only kernels that mediate Unix sockets by AppArmor tell the bus the label of a client: those of Ubuntu, and others
    /// from 6.17 on. Debian's confine snaps without.
    private static func label(ofProcessIn directory: String) throws(Errno) -> String? {
        // The second is for kernels before 5.8, and has the label of whichever module comes first.
        for name in ["apparmor/current", "current"] {
            do throws(Errno) {
                return try firstLine(of: "\(directory)/attr/\(name)")
            } catch .noSuchFileOrDirectory {
                continue
            } catch .invalidArgument {
                // No module of the kernel gives labels.
                continue
            }
        }
        return nil
    }

    private static func firstLine(of file: String) throws(Errno) -> String {
        let descriptor = UnixFD(taking: try systemCall { open(file, O_RDONLY | O_CLOEXEC) })
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = try descriptor.withFileDescriptor { descriptor throws(Errno) in
            try systemCall { read(descriptor, &bytes, bytes.count) }
        }
        return String(decoding: bytes[..<Int(count)].prefix { $0 != UInt8(ascii: "\n") && $0 != 0 }, as: UTF8.self)
    }

    /// Whether a process has the file at its root by which Flatpak marks its sandboxes (flatpak-metadata(5)).
    ///
    /// A Flatpak whose calls are filtered reaches the bus through xdg-dbus-proxy, which flatpak-run starts with the same
    /// file at its root.
    private static func isInFlatpak(_ directory: String) throws(Errno) -> Bool {
        let root = "\(directory)/root/"
        try examine(root)
        do throws(Errno) { try examine(root + ".flatpak-info") } catch .noSuchFileOrDirectory { return false }
        return true
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
