import HandoffCore
import Logging
import Synchronization

/// The types of documents that are opened without a question, each in one app, as the user has agreed once; kept in the state
/// directory.
final class ConfirmedTypes: Sendable {
    private static let file = StateFile<[String: Set<String>]>(name: "agreements", version: 1)
    /// The most pairs: many more than a person agrees to.
    private static let maximumCount = 1000

    /// What the user is asked about.
    struct Question: Hashable, Sendable {
        /// The type of the document; empty if it is unknown.
        let type: String
        /// The id of the app that is to open it.
        let app: String
    }

    /// The ids of the apps, by type.
    private let apps: PersistentValue<[String: Set<String>]>
    /// The questions that were asked last, by the entry that was to be continued.
    private let questions = Mutex<[NearbyEntry.ID: Question]>([:])

    /// Reads the file; one that cannot be read counts as empty, so that the user is asked again, and the next answer replaces
    /// it.
    init(from directory: StateDirectory, logger: Logger) {
        do throws(HandoffError) {
            apps = try PersistentValue(Self.file, in: directory, initial: [:])
        } catch {
            logger.warning(
                "which documents are opened without a question is lost: \(error.message)",
                metadata: ["event": "types.unreadable"]
            )
            apps = PersistentValue(Self.file, in: directory, value: [:])
        }
    }

    /// Notes what the user is asked about, in place of an earlier question about the same entry.
    func ask(_ question: Question, about entry: NearbyEntry.ID) {
        questions.withLock { questions in
            // Entries that have gone are never asked about again.
            if questions.count >= Self.maximumCount { questions = [:] }
            questions[entry] = question
        }
    }

    /// Returns what the user was asked about last for an entry, once; nil for nothing.
    func takeQuestion(about entry: NearbyEntry.ID) -> Question? {
        questions.withLock { $0.removeValue(forKey: entry) }
    }

    /// All types with their apps, in the order of their names.
    var all: [(type: String, app: String)] {
        apps.value.sorted { $0.key < $1.key }.flatMap { type, apps in apps.sorted().map { (type, $0) } }
    }

    /// Whether the user has agreed that documents of a type are opened in an app.
    func contains(_ type: String, for app: String) -> Bool { apps.value[type]?.contains(app) == true }

    /// Remembers that the user has agreed.
    ///
    /// - Throws: ``HandoffError`` with `stateUnwritable` or `limitReached`; then nothing has changed.
    func insert(_ type: String, for app: String) async throws {
        guard !contains(type, for: app) else { return }
        try await apps.change { apps in
            guard apps.values.reduce(0, { $0 + $1.count }) < Self.maximumCount else {
                throw HandoffError(.limitReached, "There are too many; see `handoffctl apps --confirmed`.")
            }
            apps[type, default: []].insert(app)
        }
    }

    /// Forgets that the user has agreed; returns false if the user has not.
    ///
    /// - Throws: ``HandoffError`` with `stateUnwritable`; then nothing has changed.
    func remove(_ type: String, for app: String) async throws -> Bool {
        guard contains(type, for: app) else { return false }
        try await apps.change { apps in
            apps[type]?.remove(app)
            if apps[type]?.isEmpty == true { apps[type] = nil }
        }
        return true
    }
}
