import AsyncSupport
import HandoffCore
import Logging
import Synchronization

/// The announcements to apps that were not followed by an activity or an error yet, kept over a restart of the daemon.
///
/// An entry is written before the app is called, and removed before the app gets the activity or the error.
final class ContinuationJournal: Sendable {
    /// An announcement.
    struct Entry: Codable, Hashable, Sendable {
        /// The app's id.
        let app: String
        /// The announced activity type.
        let type: String
    }

    private static let file = StateFile<[Entry]>(name: "continuations", version: 1)

    /// Identifies an announcement within one run of the daemon.
    struct ID: Hashable, Sendable, Comparable {
        fileprivate let number: UInt64

        static func < (one: ID, other: ID) -> Bool { one.number < other.number }
    }

    private struct State {
        var nextID: UInt64 = 1
        var entries: [ID: Entry] = [:]
        /// The announcements of an earlier run of the daemon, or of a lost connection.
        var left: [Entry]

        var all: [Entry] { left + entries.sorted { $0.key < $1.key }.map(\.value) }
    }

    private let directory: StateDirectory
    private let logger: Logger
    private let state: Mutex<State>
    private let writes = AsyncMutex()

    /// Reads the entries of the previous run; a damaged journal is logged, and the next announcement replaces it.
    init(in directory: StateDirectory, logger: Logger) {
        self.directory = directory
        self.logger = logger
        do throws(HandoffError) {
            state = Mutex(State(left: try Self.file.read(from: directory) ?? []))
        } catch {
            logger.warning("cannot notify apps that wait: \(error.message)", metadata: ["event": "journal.unreadable"])
            state = Mutex(State(left: []))
        }
    }

    /// Returns an id for an announcement.
    func makeID() -> ID {
        state.withLock { state in
            defer { state.nextID += 1 }
            return ID(number: state.nextID)
        }
    }

    /// Returns the open announcements of the previous run, and removes them from the journal.
    ///
    /// - Throws: `CancellationError` when the task is cancelled first, as do the others; then nothing has changed.
    func takeLeft() async throws -> [Entry] {
        guard state.withLock({ !$0.left.isEmpty }) else { return [] }
        return try await change { state in
            defer { state.left = [] }
            return state.left
        }
    }

    /// Saves an announcement.
    func insert(_ entry: Entry, _ id: ID) async throws {
        try await change { $0.entries[id] = entry }
    }

    /// Removes an announcement; does nothing if there is none.
    func remove(_ id: ID) async throws {
        guard state.withLock({ $0.entries[id] != nil }) else { return }
        try await change { $0.entries[id] = nil }
    }

    /// Removes an announcement even if the task is cancelled; returns whether there was one.
    func withdraw(_ id: ID) async -> Bool {
        guard state.withLock({ $0.entries[id] != nil }) else { return false }
        return await writes.withLockIgnoringCancellation {
            let (entry, all) = state.withLock { ($0.entries.removeValue(forKey: id), $0.all) }
            await write(all)
            return entry != nil
        }
    }

    /// Keeps an announcement for the next connection, over which its app can be notified.
    func leave(_ id: ID) {
        state.withLock { state in
            if let entry = state.entries.removeValue(forKey: id) { state.left.append(entry) }
        }
    }

    /// Changes the entries and writes them; what cannot be written is logged, and lost with this run of the daemon.
    private func change<Result: Sendable>(_ edit: (inout State) -> Result) async throws -> Result {
        try await writes.withLock {
            let (result, all) = state.withLock { (edit(&$0), $0.all) }
            await write(all)
            return result
        }
    }

    private func write(_ entries: [Entry]) async {
        do throws(HandoffError) {
            try await Self.file.write(entries, to: directory)
        } catch {
            logger.warning(
                "cannot write the continuation journal; a restart now would leave an app waiting: \(error.message)",
                metadata: ["event": "journal.unwritten"]
            )
        }
    }
}
