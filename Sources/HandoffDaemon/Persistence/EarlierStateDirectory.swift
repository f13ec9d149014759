import Epoll
import Glibc
package import HandoffCore
package import SystemPackage

/// The directory in which the service of earlier versions kept its state on systemd before 254.
///
/// Their unit had `StateDirectory=handoff`, which for a user unit was a directory below `$XDG_CONFIG_HOME` until systemd
/// 254 (systemd.exec(5)). A daemon in a terminal used another one, and was another device.
package enum EarlierStateDirectory {
    /// What `adopt` found.
    package enum Outcome: Hashable, Sendable {
        /// There is no earlier state.
        case absent
        /// The files were moved.
        case moved
        /// The files were left, because this device has an identity already.
        case left
    }

    /// The files, in the order in which they are moved.
    ///
    /// The identity is last: as long as it is there, the next start goes on after a crash.
    private static let files = ["continuations", "apps", "folders", "pairings", CircleFile.name, identity]
    private static let identity = "identity"

    /// Returns the path of the earlier directory; nil when the environment does not tell the user's home.
    package static func path(environment: [String: String]) -> FilePath? {
        if let base = environment["XDG_CONFIG_HOME"], base.hasPrefix("/") { return FilePath(base).appending("handoff") }
        guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
        return FilePath(home).appending(".config/handoff")
    }

    /// Moves the state in `earlier` to `directory`, unless an identity is there.
    ///
    /// - Throws: ``HandoffError`` with `stateUnreadable` when a daemon uses `earlier`, `stateUnwritable` when a file cannot
    ///   be moved; then the next call goes on.
    package static func adopt(
        from earlier: FilePath,
        to directory: StateDirectory
    ) throws(HandoffError) -> Outcome {
        guard earlier != directory.path, exists(earlier.appending(identity)) else { return .absent }
        guard !exists(directory.path.appending(identity)) else { return .left }
        let lock = open(earlier.appending("lock").string, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard lock >= 0 else { throw immovable("lock", from: earlier, to: directory, errno) }
        defer { close(lock) }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            throw HandoffError(
                .stateUnreadable,
                "Another handoffd uses \(earlier). Stop it, then start this one again."
            )
        }
        for file in files where exists(earlier.appending(file)) {
            guard rename(earlier.appending(file).string, directory.path.appending(file).string) == 0 else {
                throw immovable(file, from: earlier, to: directory, errno)
            }
        }
        // A file that an interrupted write has left may have keys in it.
        StateDirectory.removeDrafts(in: earlier)
        unlink(earlier.appending("lock").string)
        return .moved
    }

    private static func exists(_ path: FilePath) -> Bool { access(path.string, F_OK) == 0 }

    private static func immovable(
        _ file: String,
        from earlier: FilePath,
        to directory: StateDirectory,
        _ error: Int32
    ) -> HandoffError {
        HandoffError(
            .stateUnwritable,
            "\(earlier.appending(file)), where an earlier version kept this device's keys, cannot be moved to "
                + "\(directory.path): \(Errno(rawValue: error)). Move \(files.joined(separator: ", ")) there yourself."
        )
    }
}
