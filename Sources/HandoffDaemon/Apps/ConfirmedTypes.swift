import HandoffCore

/// The types of documents that are opened without a question, each in one app, as the user has agreed once; kept in the state
/// directory.
final class ConfirmedTypes: Sendable {
    private static let file = StateFile<[String: Set<String>]>(name: "confirmed-types", version: 1)
    /// The most types: many more than a person agrees to.
    private static let maximumCount = 1000

    /// The ids of the apps, by type.
    private let apps: PersistentValue<[String: Set<String>]>

    /// - Throws: ``HandoffError`` when the file cannot be read or is damaged; the file is not changed.
    init(from directory: StateDirectory) throws(HandoffError) {
        apps = try PersistentValue(Self.file, in: directory, initial: [:])
    }

    /// All types with their apps, in the order of their names.
    var all: [(type: String, app: String)] {
        apps.value.sorted { $0.key < $1.key }.flatMap { type, apps in apps.sorted().map { (type, $0) } }
    }

    /// Whether the user has agreed that documents of a type are opened in an app.
    func contains(_ type: String, for app: String) -> Bool { apps.value[type]?.contains(app) == true }

    /// Remembers that the user has agreed.
    ///
    /// - Throws: ``HandoffError`` with `stateUnwritable`; then nothing has changed.
    func insert(_ type: String, for app: String) async throws {
        guard !contains(type, for: app), apps.value.count < Self.maximumCount else { return }
        try await apps.change { _ = $0[type, default: []].insert(app) }
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
