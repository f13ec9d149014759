import HandoffCore
import Logging
import Synchronization

/// The announcements to apps that have not been followed by an activity or an error, kept over a restart of the daemon.
///
/// An entry is written before the app is told, and taken back before the app is given what follows.
final class ContinuationJournal: Sendable {
    /// An announcement.
    struct Entry: Codable, Hashable, Sendable {
        /// The app's id.
        let app: String
        /// The activity type that it was told.
        let type: String
    }

    private static let file = StateFile<[Entry]>(name: "continuations", version: 1)

    private let directory: StateDirectory
    private let logger: Logger
    private let entries = Mutex<[Continuations.ID: Entry]>([:])
    private let left: Mutex<[Entry]>

    /// Reads what a daemon before this one has left; a damaged journal is reported, and the next announcement replaces it.
    init(in directory: StateDirectory, logger: Logger) {
        self.directory = directory
        self.logger = logger
        do throws(HandoffError) {
            left = Mutex(try Self.file.read(from: directory) ?? [])
        } catch {
            logger.warning("apps that wait are not told: \(error.message)")
            left = Mutex([])
        }
    }

    /// The announcements that a daemon before this one has left open; they are gone from the journal then.
    func takeLeft() -> [Entry] {
        let taken = left.withLock { left in
            defer { left = [] }
            return left
        }
        if !taken.isEmpty { entries.withLock { write($0) } }
        return taken
    }

    /// Writes an announcement down.
    func insert(_ entry: Entry, _ id: Continuations.ID) {
        entries.withLock { entries in
            entries[id] = entry
            write(entries)
        }
    }

    /// Takes an announcement back; nothing where there is none.
    func remove(_ id: Continuations.ID) {
        entries.withLock { entries in
            if entries.removeValue(forKey: id) != nil { write(entries) }
        }
    }

    /// Leaves an announcement for the next connection, over which its app can be told.
    func leave(_ id: Continuations.ID) {
        guard let entry = entries.withLock({ $0.removeValue(forKey: id) }) else { return }
        left.withLock { $0.append(entry) }
    }

    private func write(_ entries: [Continuations.ID: Entry]) {
        do throws(HandoffError) {
            let all = left.withLock { $0 } + entries.sorted { $0.key < $1.key }.map(\.value)
            try Self.file.write(all, to: directory)
        } catch {
            logger.warning("a restart now would leave an app waiting: \(error.message)")
        }
    }
}
