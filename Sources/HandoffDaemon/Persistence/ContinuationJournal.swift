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

    private let directory: StateDirectory
    private let logger: Logger
    private let entries = Mutex<[Continuations.ID: Entry]>([:])
    private let left: Mutex<[Entry]>

    /// Reads the entries of the previous run; a damaged journal is logged, and the next announcement replaces it.
    init(in directory: StateDirectory, logger: Logger) {
        self.directory = directory
        self.logger = logger
        do throws(HandoffError) {
            left = Mutex(try Self.file.read(from: directory) ?? [])
        } catch {
            logger.warning("cannot notify apps that wait: \(error.message)", metadata: ["event": "journal.unreadable"])
            left = Mutex([])
        }
    }

    /// Returns the open announcements of the previous run, and removes them from the journal.
    func takeLeft() -> [Entry] {
        let taken = left.withLock { left in
            defer { left = [] }
            return left
        }
        if !taken.isEmpty { entries.withLock { write($0) } }
        return taken
    }

    /// Saves an announcement.
    func insert(_ entry: Entry, _ id: Continuations.ID) {
        entries.withLock { entries in
            entries[id] = entry
            write(entries)
        }
    }

    /// Removes an announcement; does nothing if there is none.
    func remove(_ id: Continuations.ID) {
        entries.withLock { entries in
            if entries.removeValue(forKey: id) != nil { write(entries) }
        }
    }

    /// Keeps an announcement for the next connection, over which its app can be notified.
    func leave(_ id: Continuations.ID) {
        guard let entry = entries.withLock({ $0.removeValue(forKey: id) }) else { return }
        left.withLock { $0.append(entry) }
    }

    private func write(_ entries: [Continuations.ID: Entry]) {
        do throws(HandoffError) {
            let all = left.withLock { $0 } + entries.sorted { $0.key < $1.key }.map(\.value)
            try Self.file.write(all, to: directory)
        } catch {
            logger.warning(
                "cannot write the continuation journal; a restart now would leave an app waiting: \(error.message)",
                metadata: ["event": "journal.unwritten"]
            )
        }
    }
}
