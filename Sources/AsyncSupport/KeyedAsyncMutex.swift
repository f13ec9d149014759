import Synchronization

/// Lets one task at a time run a critical section for each key, in the order in which the tasks asked.
///
/// Different keys do not wait for each other. Memory is kept only for keys that are locked or waited for.
package final class KeyedAsyncMutex<Key: Hashable & Sendable>: Sendable {
    private struct Entry {
        let mutex = AsyncMutex()
        /// The number of tasks that hold the mutex or wait for it.
        var users = 0
    }

    private let entries = Mutex<[Key: Entry]>([:])

    /// The number of keys that are locked or waited for.
    package var keyCount: Int { entries.withLock(\.count) }

    /// Makes a mutex of which no key is locked.
    package init() {}

    /// Runs `body` while no other task runs a body for an equal key.
    ///
    /// Not reentrant: a body that locks the same key again waits until it is cancelled.
    ///
    /// - Throws: `CancellationError` when the task is cancelled before or while it waits, and then `body` has not run;
    ///   else what `body` throws.
    package func withLock<Success>(for key: Key, _ body: () async throws -> Success) async throws -> Success {
        let mutex = enter(key)
        defer { leave(key) }
        return try await mutex.withLock(body)
    }

    private func enter(_ key: Key) -> AsyncMutex {
        entries.withLock { entries in
            var entry = entries[key] ?? Entry()
            entry.users += 1
            entries[key] = entry
            return entry.mutex
        }
    }

    private func leave(_ key: Key) {
        entries.withLock { entries in
            entries[key]?.users -= 1
            if entries[key]?.users == 0 { entries[key] = nil }
        }
    }
}
