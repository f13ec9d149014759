import HandoffApps
import HandoffBus
import HandoffCore
import HandoffModel
import Synchronization

/// The user's default app for each activity type, kept in the state directory.
final class DefaultApps: Sendable {
    private static let file = StateFile<[String: String]>(name: "apps", version: 1)

    private let directory: StateDirectory
    private let choices: Mutex<[String: String]>

    /// - Throws: ``HandoffError`` when the file cannot be read or is damaged; the file is not changed.
    init(from directory: StateDirectory) throws(HandoffError) {
        self.directory = directory
        choices = Mutex(try Self.file.read(from: directory) ?? [:])
    }

    /// All default apps, by type.
    var all: [ActivityType: String] {
        choices.withLock { choices in
            choices.reduce(into: [:]) { all, choice in
                if let type = try? ActivityType(choice.key) { all[type] = choice.value }
            }
        }
    }

    /// Saves the default app for a type; nil removes it.
    ///
    /// - Throws: ``HandoffError`` with `stateUnwritable`; then nothing has changed.
    func set(_ app: String?, for type: ActivityType) throws(HandoffError) {
        try choices.withLock { choices throws(HandoffError) in
            var changed = choices
            changed[type.rawValue] = app
            try Self.file.write(changed, to: directory)
            choices = changed
        }
    }
}

/// Implements `Apps1` for the engine.
struct AppsObject: AppsHandler {
    let engine: Engine
    let defaults: DefaultApps

    var list: (apps: [AppDescription], faults: [AppFileFault]) {
        let registry = engine.read(\.apps)
        return (
            registry.apps.map { Self.describe($0, registry) },
            registry.faults.map { AppFileFault(file: $0.file, message: $0.message) }
        )
    }

    func setDefault(_ app: String, for type: String) throws {
        try mappingToDBusError {
            let type = try ActivityType(type)
            guard app.isEmpty || engine.read({ $0.apps.apps.contains { $0.id == app && $0.types.contains(type) } })
            else {
                throw HandoffError(
                    .noSuchApp,
                    "No app \(app.debugDescription) on this device handles \(type); see `handoffctl apps`."
                )
            }
            try defaults.set(app.isEmpty ? nil : app, for: type)
            engine.setDefaultApps(defaults.all)
        }
    }

    private static func describe(_ app: App, _ registry: AppRegistry) -> AppDescription {
        AppDescription(
            id: app.id,
            name: app.name,
            types: app.types.map(\.rawValue).sorted(),
            teamID: app.teamID ?? "",
            entrance: entrance(of: app),
            defaults: registry.defaults.filter { $0.value == app.id }.map(\.key.rawValue).sorted()
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
