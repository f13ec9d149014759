import HandoffApps
import HandoffBus
import HandoffCore
import HandoffModel

extension Engine {
    /// Takes in which apps there are; entries that another app opens from now on are shown anew.
    func setApps(_ registry: AppRegistry) {
        change { state, _ in
            var registry = registry
            registry.defaults = state.apps.defaults
            state.setApps(registry)
        }
    }

    /// Takes in which app a person wants for which type.
    func setDefaultApps(_ defaults: [ActivityType: String]) {
        change { state, _ in
            var registry = state.apps
            registry.defaults = defaults
            state.setApps(registry)
        }
    }

    /// The type of an entry, where it is known here, and what would open it.
    func launchTarget(of entry: NearbyEntry) -> (type: ActivityType?, launchTarget: AppRegistry.LaunchTarget) {
        read { state in
            let type = state.type(of: entry.typeHash)
            return (type, state.apps.launchTarget(for: type, hasWebpage: entry.hasWebpage))
        }
    }
}

extension Engine.State {
    /// The type of that hash: one that an app claims, or that was met before.
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
    /// An opener in the words of the bus.
    init(_ launchTarget: AppRegistry.LaunchTarget) {
        self =
            switch launchTarget {
            case .app(let app): .app(id: app.id, name: app.name, icon: app.icon)
            case .browser: .browser
            case .none: .nothing
            }
    }
}
