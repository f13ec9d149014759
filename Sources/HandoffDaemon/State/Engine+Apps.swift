import HandoffApps
import HandoffBus
import HandoffCore
import HandoffCrypto
import HandoffModel

extension Engine {
    /// Sets the installed apps; entries whose launch target changes are signalled again.
    func setApps(_ registry: AppRegistry) {
        change { state, _ in
            var registry = registry
            registry.defaults = state.apps.defaults
            state.setApps(registry)
        }
    }

    /// Sets the user's default app for each type.
    func setDefaultApps(_ defaults: [ActivityType: String]) {
        change { state, _ in
            var registry = state.apps
            registry.defaults = defaults
            state.setApps(registry)
        }
    }

    /// Returns the type of an entry, if it is known here, and its launch target.
    func launchTarget(of entry: NearbyEntry) -> (type: ActivityType?, launchTarget: AppRegistry.LaunchTarget) {
        read { state in
            let type = state.type(of: entry.typeHash)
            return (type, state.apps.launchTarget(for: type, hasWebpage: entry.hasWebpage))
        }
    }
}

extension Engine.State {
    /// Returns the type with that hash, if an installed app handles it or it was seen before.
    func type(of hash: ActivityTypeHash) -> ActivityType? {
        appTypes[hash] ?? knownTypes[hash]
    }

    fileprivate mutating func setApps(_ registry: AppRegistry) {
        guard registry != apps else { return }
        apps = registry
        appTypes = Dictionary(registry.types.sorted().map { ($0.hash, $0) }) { first, _ in first }
        outbox.append(contentsOf: nearby.all.map { .nearby(.changed($0)) })
    }
}

extension NearbyLaunchTarget {
    /// Creates the bus representation of a launch target.
    init(_ launchTarget: AppRegistry.LaunchTarget) {
        self =
            switch launchTarget {
            case .app(let app): .app(id: app.id, name: app.name, icon: app.icon)
            case .browser: .browser
            case .none: .nothing
            }
    }
}
