import AsyncSupport
import Epoll
import Glibc
package import HandoffCore
import HandoffCrypto
import HandoffModel
package import SystemPackage

/// The directory in which this device keeps its keys and its trusted devices.
///
/// Only one daemon uses it at a time. Its files are readable for their owner only, and are replaced atomically and
/// durably: after a crash or a power failure, a file is either the old or the new one.
package struct StateDirectory: Sendable {
    package let path: FilePath
    /// Whether others could read it when it was opened, and cannot any more.
    package let wasReadableForOthers: Bool
    /// The open lock file.
    private let lock: Int32
    /// Logs what somebody should know.
    private let report: @Sendable (String) -> Void
    /// Why nothing can be written, as the last write or trial has shown; nil when something can.
    let obstacle = CurrentValue<String?>(nil)
    /// The files that could not be written the last time.
    private let refused = CurrentValue<Set<String>>([])

    /// Returns the path of the directory: the requested one, otherwise the user's default, whoever starts the daemon.
    ///
    /// - Throws: ``HandoffError`` with `stateUnreadable` when none of them is set.
    package static func path(option: String?, environment: [String: String]) throws(HandoffError) -> FilePath {
        if let option, !option.isEmpty { return FilePath(option) }
        guard option == nil else { throw HandoffError(.stateUnreadable, "--state-dir is empty; name a directory.") }
        if let base = environment["XDG_STATE_HOME"], base.hasPrefix("/") { return FilePath(base).appending("handoff") }
        if let home = environment["HOME"], home.hasPrefix("/") {
            return FilePath(home).appending(".local/state/handoff")
        }
        throw HandoffError(
            .stateUnreadable,
            "No directory for this device's keys is set: pass --state-dir, or set HOME."
        )
    }

    /// Opens the directory at `path`, creates it if necessary, and locks it for this process while `body` runs.
    ///
    /// - Parameters:
    ///   - path: the path of the directory.
    ///   - runtimeDirectory: the user's directory for files of running programs (XDG_RUNTIME_DIR). A lock there keeps a
    ///     second daemon out even when the state directory was deleted meanwhile; nil for none.
    ///   - report: is called with a sentence when something that was in the way was moved aside.
    ///   - body: uses the directory.
    /// - Throws: `HandoffError` when it cannot be used, belongs to another user, may be changed by others, or when
    ///   another daemon uses it; else what `body` throws.
    package static func withDirectory<Success>(
        at path: FilePath,
        runtimeDirectory: FilePath? = nil,
        report: @escaping @Sendable (String) -> Void = { _ in },
        _ body: (StateDirectory) async throws -> Success
    ) async throws -> Success {
        let outerLock = try runtimeDirectory.flatMap { try lockOutside(path, in: $0) }
        defer { if let outerLock { release(outerLock) } }
        try make(path)
        let wasReadable = try claim(path)
        let lock = try open(path.appending(lockName), O_RDWR | O_CREAT)
        defer { release(lock) }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else { throw isUsed(path) }
        removeDrafts(in: path)
        return try await body(
            StateDirectory(path: path, wasReadableForOthers: wasReadable, lock: lock, report: report)
        )
    }

    private static let lockName = "lock"

    /// Takes a lock that is named after `path`, which survives the directory; nil when there can be none.
    private static func lockOutside(_ path: FilePath, in runtimeDirectory: FilePath) throws(HandoffError) -> Int32? {
        let absolute = path.isAbsolute ? path : FilePath(currentDirectory).pushing(path)
        let digest = HandoffDigest.sha256(Array(absolute.lexicallyNormalized().string.utf8))
        let name = "handoffd-\(hexText(digest.prefix(8))).lock"
        guard let lock = try? open(runtimeDirectory.appending(name), O_RDWR | O_CREAT) else { return nil }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            close(lock)
            throw isUsed(path)
        }
        return lock
    }

    /// Releases a lock, and closes its file.
    ///
    /// Closing alone would not release it while a process that was just forked here has not yet executed its program.
    private static func release(_ lock: Int32) {
        flock(lock, LOCK_UN)
        close(lock)
    }

    private static var currentDirectory: String {
        guard let text = getcwd(nil, 0) else { return "/" }
        defer { free(text) }
        return String(cString: text)
    }

    private static func isUsed(_ path: FilePath) -> HandoffError {
        HandoffError(
            .stateUnreadable,
            "Another handoffd uses \(path). Stop it, or give this one a --state-dir of its own."
        )
    }

    /// Returns the contents of a file; nil when it does not exist.
    ///
    /// - Throws: ``HandoffError`` with `stateUnreadable`.
    package func read(_ name: String) throws(HandoffError) -> [UInt8]? {
        let file = path.appending(name)
        // Opened without blocking: if the path is not a regular file, reading it may block indefinitely.
        let descriptor = Glibc.open(file.string, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            var status = stat()
            // Not even a link that leads nowhere, as to a disk that is not mounted.
            if errno == ENOENT, lstat(file.string, &status) != 0, errno == ENOENT { return nil }
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
                throw HandoffError(.stateDamaged, "\(file) is too large to have been written by handoffd.")
            }
        }
    }

    /// Replaces a file's contents durably, on a thread of its own: a disk may take any time to answer.
    ///
    /// It is awaited even if the task is cancelled, so that the caller knows what the file contains. Two writes to the
    /// same file must not overlap.
    ///
    /// - Throws: ``HandoffError`` with `stateUnwritable`; then the file has not changed.
    package func write(_ bytes: [UInt8], to name: String) async throws(HandoffError) {
        try await onThread(for: name) { () throws(HandoffError) in try writeNow(bytes, to: name) }
    }

    /// Finds out whether a file could be replaced now: makes a draft as large as the largest one, and removes it.
    ///
    /// It is not synchronised, so that a disk that rests goes on resting.
    ///
    /// - Throws: ``HandoffError`` with `stateUnwritable`.
    package func tryWriting() async throws(HandoffError) {
        try await onThread { () throws(HandoffError) in try tryWritingNow() }
    }

    /// Notes how a write of a file has ended, or a trial.
    ///
    /// After a success, no file is refused but those that something else is in the way of.
    private func note(_ outcome: Result<Void, HandoffError>, of name: String?) {
        switch outcome {
        case .failure(let error):
            if let name { refused.modify { $0.insert(name) } }
            obstacle.update(error.message)
        case .success:
            refused.modify { $0 = $0.filter { $0 != name && isObstructed($0) } }
            if refused.value.isEmpty { obstacle.update(nil) }
        }
    }

    /// Whether a file cannot be replaced because of what is in its place, or in that of its draft.
    private func isObstructed(_ name: String) -> Bool {
        var status = stat()
        if lstat(path.appending(".\(name).new").string, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
            return true
        }
        return lstat(path.appending(name).string, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Runs something that writes, a file or a trial, on a thread of its own, and notes how it ends.
    private func onThread(
        for name: String? = nil,
        _ body: @escaping @Sendable () throws(HandoffError) -> Void
    ) async throws(HandoffError) {
        let result = Promise<Result<Void, HandoffError>>()
        do throws(Errno) {
            _ = try BlockingThread { result.fulfil(Result { () throws(HandoffError) in try body() }) }
        } catch {
            throw HandoffError(.stateUnwritable, "\(path) cannot be written: no thread: \(error).")
        }
        let outcome = await result.valueIgnoringCancellation()
        note(outcome, of: name)
        return try outcome.get()
    }

    /// Removes drafts that a crash or a failed write has left: they may hold keys that were replaced since.
    static func removeDrafts(in path: FilePath) {
        guard let directory = opendir(path.string) else { return }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = Glibc.readdir(directory) {
            names.append(
                withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            )
        }
        for name in names where name.hasPrefix(".") && name.hasSuffix(".new") {
            let file = path.appending(name).string
            var status = stat()
            // Anything else holds no keys.
            if lstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG { unlink(file) }
        }
    }

    private func tryWritingNow() throws(HandoffError) {
        let sizes = ["devices", "pairings", "rules", "types"].map { name in
            var status = stat()
            return stat(path.appending(name).string, &status) == 0 ? Int(status.st_size) : 0
        }
        let bytes = [UInt8](repeating: 0, count: max(4096, sizes.max() ?? 0))
        let draft = path.appending(".trial.new")
        defer { unlink(draft.string) }
        try withDraft(draft, of: bytes) { _, _ in }
    }

    /// Runs `body` with the descriptors of this directory and of a draft with these bytes.
    private func withDraft(
        _ draft: FilePath,
        of bytes: [UInt8],
        _ body: (_ directory: Int32, _ descriptor: Int32) throws(HandoffError) -> Void
    ) throws(HandoffError) {
        let directory = Glibc.open(path.string, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { throw Self.unwritable(path, errno) }
        defer { close(directory) }
        try checkLock(in: directory)
        let descriptor = try openDraft(draft)
        defer { close(descriptor) }
        do throws(Errno) {
            try writeAll(bytes[...], to: descriptor)
        } catch {
            throw Self.unwritable(draft, error.rawValue)
        }
        try body(directory, descriptor)
    }

    private func writeNow(_ bytes: [UInt8], to name: String) throws(HandoffError) {
        let (file, draft) = (path.appending(name), path.appending(".\(name).new"))
        try withDraft(draft, of: bytes) { directory, descriptor throws(HandoffError) in
            try Self.replace(file, by: draft, descriptor, in: directory)
        }
    }

    private static func replace(
        _ file: FilePath,
        by draft: FilePath,
        _ descriptor: Int32,
        in directory: Int32
    ) throws(HandoffError) {
        // A temporary file left by a crash keeps its old mode.
        guard fchmod(descriptor, 0o600) == 0, fsync(descriptor) == 0, rename(draft.string, file.string) == 0 else {
            throw unwritable(file, errno)
        }
        // A rename is durable once the directory is (rename(2), fsync(2)). It has happened even if fsync fails:
        // reporting failure here would leave callers out of sync with the file on disk.
        _ = fsync(directory)
    }

    /// Refuses to write into a directory that has taken the place of the locked one: another daemon may use it.
    private func checkLock(in directory: Int32) throws(HandoffError) {
        var (held, found) = (stat(), stat())
        guard fstat(lock, &held) == 0, fstatat(directory, Self.lockName, &found, AT_SYMLINK_NOFOLLOW) == 0,
            held.st_ino == found.st_ino, held.st_dev == found.st_dev
        else {
            throw HandoffError(
                .stateUnwritable,
                "\(path) was replaced while handoffd was using it: put it back, or restart handoffd."
            )
        }
    }

    /// Opens a draft, in place of whatever else has that name.
    private func openDraft(_ draft: FilePath) throws(HandoffError) -> Int32 {
        let flags = O_WRONLY | O_CREAT | O_TRUNC
        do {
            return try Self.open(draft, flags)
        } catch {
            var status = stat()
            guard lstat(draft.string, &status) == 0 else { throw error }
            switch status.st_mode & S_IFMT {
            case S_IFLNK: unlink(draft.string)
            case S_IFDIR: if rmdir(draft.string) != 0 { moveAside(draft) }
            default: throw error
            }
            return try Self.open(draft, flags)
        }
    }

    /// Gives a directory with files, which handoffd has not made, another name beside its own, if it can.
    private func moveAside(_ directory: FilePath) {
        for number in 0..<Self.maximumAside {
            let place = FilePath("\(directory).aside" + (number == 0 ? "" : "-\(number)"))
            // rename(2): it replaces nothing but an empty directory.
            guard rename(directory.string, place.string) != 0 else {
                return report("moved a directory with files, which was in the way, from \(directory) to \(place)")
            }
        }
    }

    private static let maximumAside = 100

    /// 16 MiB: the keys and names of many thousand devices.
    private static let maximumFileBytes = 16 * 1024 * 1024

    private static func make(_ path: FilePath) throws(HandoffError) {
        var parents: [FilePath] = []
        var directory = path
        while !directory.isEmpty, access(directory.string, F_OK) != 0 {
            parents.append(directory)
            guard directory.removeLastComponent() else { break }
        }
        for directory in parents.reversed() {
            guard mkdir(directory.string, 0o700) == 0 || errno == EEXIST else { throw unwritable(directory, errno) }
            try synchronise(directory.removingLastComponent())
        }
    }

    /// Makes the names of what is in a directory durable; else a power failure could take away a new directory with the
    /// files in it, however durable these are.
    private static func synchronise(_ directory: FilePath) throws(HandoffError) {
        let descriptor = Glibc.open(directory.isEmpty ? "." : directory.string, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        // A directory that this user may enter but not read cannot be synchronised.
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        // fsync(2): EINVAL when the file system does not do this for directories.
        guard fsync(descriptor) == 0 || errno == EINVAL else { throw unwritable(directory, errno) }
    }

    /// Makes sure that the directory is this user's alone; returns whether others could read it before.
    private static func claim(_ path: FilePath) throws(HandoffError) -> Bool {
        var status = stat()
        guard stat(path.string, &status) == 0 else { throw unreadable(path, errno) }
        if let problem = problem(of: path, mode: status.st_mode, owner: status.st_uid, user: geteuid()) {
            throw problem
        }
        guard status.st_mode & 0o077 != 0 else { return false }
        guard chmod(path.string, 0o700) == 0 else { throw unwritable(path, errno) }
        return true
    }

    private static func open(_ file: FilePath, _ flags: Int32) throws(HandoffError) -> Int32 {
        let descriptor = Glibc.open(file.string, flags | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw unwritable(file, errno) }
        return descriptor
    }
}
