import Glibc
package import HandoffCore
package import SystemPackage

/// The directory in which this device keeps its keys and the devices that it trusts.
///
/// One daemon uses it at a time. Files in it are readable for their owner alone and are replaced whole, durably: after a
/// crash or a power cut a file is the old one or the new one.
package struct StateDirectory: Sendable {
    package let path: FilePath

    /// Where the state lives: what was asked for, else what systemd made for the service, else the user's place for it.
    ///
    /// - Throws: ``HandoffError`` with `stateUnreadable` when nothing says where.
    package static func path(option: String?, environment: [String: String]) throws(HandoffError) -> FilePath {
        if let option, !option.isEmpty { return FilePath(option) }
        guard option == nil else { throw HandoffError(.stateUnreadable, "--state-dir is empty; name a directory.") }
        // systemd separates several directories by colons; this service has one (systemd.exec, RuntimeDirectory=).
        if let directory = environment["STATE_DIRECTORY"], !directory.isEmpty { return FilePath(directory) }
        if let base = environment["XDG_STATE_HOME"], base.hasPrefix("/") { return FilePath(base).appending("handoff") }
        if let home = environment["HOME"], home.hasPrefix("/") {
            return FilePath(home).appending(".local/state/handoff")
        }
        throw HandoffError(
            .stateUnreadable,
            "Nothing says where to keep this device's keys: give --state-dir, or set HOME."
        )
    }

    /// Opens the directory at `path`, making it if need be, and keeps it for this process while `body` runs.
    ///
    /// - Throws: ``HandoffError`` when it cannot be used, or another daemon uses it; else what `body` throws.
    package static func withDirectory<Success>(
        at path: FilePath,
        _ body: (StateDirectory) async throws -> Success
    ) async throws -> Success {
        try make(path)
        let lock = try open(path.appending("lock"), O_RDWR | O_CREAT)
        defer { close(lock) }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            throw HandoffError(
                .stateUnreadable,
                "Another handoffd uses \(path). Stop it, or give this one a --state-dir of its own."
            )
        }
        return try await body(StateDirectory(path: path))
    }

    /// The contents of a file; nil when there is none.
    ///
    /// - Throws: ``HandoffError`` with `stateUnreadable`.
    package func read(_ name: String) throws(HandoffError) -> [UInt8]? {
        let file = path.appending(name)
        // Without waiting, for what is no file may keep its reader waiting for ever.
        let descriptor = Glibc.open(file.string, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw Self.unreadable(file, errno)
        }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = Glibc.read(descriptor, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Self.unreadable(file, errno) }
            if count == 0 { return bytes }
            bytes.append(contentsOf: piece[..<count])
            guard bytes.count <= Self.maximumFileBytes else {
                throw HandoffError(.stateDamaged, "\(file) is too large to be what handoffd wrote there.")
            }
        }
    }

    /// Replaces a file's contents durably.
    ///
    /// - Throws: ``HandoffError`` with `stateUnwritable`; then the file is as it was.
    package func write(_ bytes: [UInt8], to name: String) throws(HandoffError) {
        let file = path.appending(name)
        let draft = path.appending(".\(name).new")
        let directory = Glibc.open(path.string, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { throw Self.unwritable(path, errno) }
        defer { close(directory) }
        let descriptor = try Self.open(draft, O_WRONLY | O_CREAT | O_TRUNC)
        defer { close(descriptor) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Self.unwritable(draft, errno) }
            rest = rest.dropFirst(count)
        }
        // A draft that was left by a crash keeps the mode that it had.
        guard fchmod(descriptor, 0o600) == 0, fsync(descriptor) == 0, rename(draft.string, file.string) == 0 else {
            throw Self.unwritable(file, errno)
        }
        // A rename is durable once the directory is (rename(2), fsync(2)). It has happened all the same: whoever were told
        // that it had not would go on with other contents than the file's.
        _ = fsync(directory)
    }

    /// 16 MiB: the keys and names of many thousand devices.
    private static let maximumFileBytes = 16 * 1024 * 1024

    private static func make(_ path: FilePath) throws(HandoffError) {
        var parents: [FilePath] = []
        var directory = path
        while !directory.isEmpty, access(directory.string, F_OK) != 0 {
            parents.append(directory)
            guard directory.removeLastComponent() else { break }
        }
        for directory in parents.reversed() where mkdir(directory.string, 0o700) != 0 && errno != EEXIST {
            throw unwritable(directory, errno)
        }
    }

    private static func open(_ file: FilePath, _ flags: Int32) throws(HandoffError) -> Int32 {
        let descriptor = Glibc.open(file.string, flags | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw unwritable(file, errno) }
        return descriptor
    }

    private static func unreadable(_ path: FilePath, _ error: Int32) -> HandoffError {
        HandoffError(.stateUnreadable, "\(path) cannot be read: \(Errno(rawValue: error)). Check who owns it.")
    }

    private static func unwritable(_ path: FilePath, _ error: Int32) -> HandoffError {
        HandoffError(
            .stateUnwritable,
            "\(path) cannot be written: \(Errno(rawValue: error)). Check who owns it and whether the disk is full."
        )
    }
}
