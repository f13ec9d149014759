import Glibc
package import HandoffCore
package import SystemPackage

/// What is wrong with a state directory, and what to do.
extension StateDirectory {
    /// Returns why keys cannot be kept in a directory; nil when they can, after others were kept out.
    package static func problem(of path: FilePath, mode: UInt32, owner: UInt32, user: UInt32) -> HandoffError? {
        guard owner == user else {
            return HandoffError(
                .stateUnreadable,
                "\(path) belongs to another user (\(owner)), who could read and replace the keys of this device: "
                    + "`sudo chown -R \"$USER\": \(path)`, if its contents are yours."
            )
        }
        guard mode & 0o022 == 0 else {
            return HandoffError(
                .stateUnreadable,
                "Others may write into \(path), so that the keys in it may not be yours: look at them, then "
                    + "`chmod -R go= \(path)`."
            )
        }
        return nil
    }

    static func unreadable(_ path: FilePath, _ error: Int32) -> HandoffError {
        HandoffError(.stateUnreadable, "\(path) cannot be read: \(Errno(rawValue: error)). Check who owns it.")
    }

    static func unwritable(_ path: FilePath, _ error: Int32) -> HandoffError {
        HandoffError(.stateUnwritable, "\(path) cannot be written: \(Errno(rawValue: error)). \(remedy(for: error))")
    }

    /// What to do about a directory that cannot be written.
    package static func remedy(for error: Int32) -> String {
        switch error {
        case EROFS:
            "Its file system is mounted read-only: mount it for writing (`sudo mount -o remount,rw`), or name another "
                + "directory with --state-dir."
        case ENOSPC, EDQUOT: "The disk or your share of it is full: delete something."
        case EACCES, EPERM: "Check who owns it."
        case EIO: "The disk may be failing: `sudo dmesg` tells."
        case EISDIR: "It is a directory, which cannot be moved away: do that, or unmount it."
        default: "Check who owns it and whether the disk is full."
        }
    }
}
