import AsyncSupport
import HandoffCore
import Synchronization

/// A value that is kept in a file of the state directory, and changes only once the file has changed.
final class PersistentValue<Contents: Codable & Sendable>: Sendable {
    private let file: StateFile<Contents>
    private let directory: StateDirectory
    private let current: Mutex<Contents>
    private let changes = AsyncMutex()

    /// Reads the value; `initial` when the file does not exist yet.
    ///
    /// - Throws: ``HandoffError`` when the file cannot be read or is damaged; the file is not changed.
    init(_ file: StateFile<Contents>, in directory: StateDirectory, initial: Contents) throws(HandoffError) {
        self.file = file
        self.directory = directory
        current = Mutex(try file.read(from: directory) ?? initial)
    }

    /// Begins with a value in place of what is in the file, which the next change replaces.
    init(_ file: StateFile<Contents>, in directory: StateDirectory, value: Contents) {
        self.file = file
        self.directory = directory
        current = Mutex(value)
    }

    /// The value as it is on disk.
    var value: Contents { current.withLock(\.self) }

    /// Changes a draft, writes it, makes it the value, and then calls `follow`; one change at a time.
    ///
    /// - Throws: what `edit` throws, ``HandoffError`` with `stateUnwritable`, and `CancellationError` when the task is
    ///   cancelled before the change has begun; then nothing has changed.
    func change(_ edit: (inout Contents) throws -> Void, then follow: () -> Void = {}) async throws {
        try await changes.withLock {
            var draft = value
            try edit(&draft)
            try await file.write(draft, to: directory)
            current.withLock { [draft] in $0 = draft }
            follow()
        }
    }
}
