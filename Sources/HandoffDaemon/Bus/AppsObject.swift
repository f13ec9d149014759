import HandoffApps
import HandoffBus
import HandoffCore
import HandoffModel

/// The user's default app for each activity type, kept in the state directory.
final class DefaultApps: Sendable {
    private static let file = StateFile<[String: String]>(name: "apps", version: 1)

    private let choices: PersistentValue<[String: String]>

    /// - Throws: ``HandoffError`` when the file cannot be read or is damaged; the file is not changed.
    init(from directory: StateDirectory) throws(HandoffError) {
        choices = try PersistentValue(Self.file, in: directory, initial: [:])
    }

    /// All default apps, by type.
    var all: [ActivityType: String] {
        choices.value.reduce(into: [:]) { all, choice in
            if let type = try? ActivityType(choice.key) { all[type] = choice.value }
        }
    }

    /// Saves the default app for a type, and then calls `follow`; nil removes it.
    ///
    /// - Throws: ``HandoffError`` with `stateUnwritable`; then nothing has changed.
    func set(_ app: String?, for type: ActivityType, then follow: () -> Void) async throws {
        try await choices.change({ $0[type.rawValue] = app }, then: follow)
    }
}

/// Implements `Apps1` for the engine.
struct AppsObject: AppsHandler {
    let engine: Engine
    let defaults: DefaultApps
    let confirmedTypes: ConfirmedTypes

    var list: (apps: [AppDescription], faults: [AppFileFault]) {
        let registry = engine.desktop.installedApps
        return (
            registry.apps.map { describe($0, registry) },
            registry.faults.map { AppFileFault(file: $0.file, message: $0.message) }
        )
    }

    func setDefault(_ app: String, for type: String) async throws {
        let type = try ActivityType(type)
        guard
            app.isEmpty
                || engine.read({ $0.desktop.installedApps.apps.contains { $0.id == app && $0.types.contains(type) } })
        else {
            throw HandoffError(
                .noSuchApp,
                "No app \(app.debugDescription) on this device handles \(type); see `handoffctl apps`."
            )
        }
        try await defaults.set(app.isEmpty ? nil : app, for: type) {
            engine.desktop.setDefaultApps(defaults.all)
        }
    }

    var confirmed: [(type: String, app: String)] { confirmedTypes.all }

    func removeConfirmed(_ type: String, for app: String) async throws {
        guard try await confirmedTypes.remove(type, for: app) else {
            throw HandoffErrorName.invalidArgument.reply(
                "You have not agreed that documents of the type \(type.debugDescription) are opened in "
                    + "\(app.debugDescription); see `handoffctl apps --confirmed`."
            )
        }
    }

    func checkDomains() {
        engine.sites.checkAll()
    }

    private func describe(_ app: App, _ registry: AppRegistry) -> AppDescription {
        AppDescription(
            id: app.id,
            name: app.name,
            types: app.types.map(\.rawValue).sorted(),
            teamID: app.teamID ?? "",
            entrance: Self.entrance(of: app),
            defaults: registry.defaults.filter { $0.value == app.id }.map(\.key.rawValue).sorted(),
            domains: engine.sites.statuses(of: app).map(DomainDescription.init)
        )
    }

    private static func entrance(of app: App) -> String {
        switch app.launchMethod {
        case .bus: "bus"
        case .program: "program"
        case .command: "command"
        }
    }
}

extension DomainDescription {
    /// Creates the bus representation of what is known of a domain.
    fileprivate init(_ domain: AssociatedDomain, _ status: SiteStatus) {
        self.init(
            domain: domain.description,
            state: status.verdict.rawValue,
            verified: UInt64(clamping: status.verified ?? 0),
            checked: UInt64(clamping: status.checked ?? 0),
            failure: status.failure?.code.rawValue ?? "",
            reason: status.failure?.reason ?? "",
            isChecking: status.isChecking
        )
    }
}
