import HandoffApps
import HandoffCore
import HandoffCrypto
import HandoffFolders
import HandoffModel

/// The engine's state of the desktop: the installed apps, and the synchronised folders.
struct DesktopState: Sendable {
    /// The installed apps that continue activities.
    private(set) var installedApps = AppRegistry()
    /// Those of them that the rules of the person allow.
    private(set) var apps = AppRegistry()
    /// The types that apps handle, by their hashes.
    private(set) var types: [ActivityTypeHash: ActivityType] = [:]
    var folders = SyncedFolders()
    /// Whether the user is notified of nearby activities.
    var notifies = true

    /// Replaces the apps; returns whether they differ from the previous ones.
    mutating func setApps(_ registry: AppRegistry, _ rules: Rules) -> Bool {
        guard registry != installedApps else { return false }
        installedApps = registry
        types = Dictionary(registry.types.sorted().map { ($0.hash, $0) }) { first, _ in first }
        _ = apply(rules)
        return true
    }

    /// Applies the rules about apps; returns whether other apps are allowed now.
    mutating func apply(_ rules: Rules) -> Bool {
        let before = apps
        apps = installedApps.filtered { rules.permits(app: $0.id) }
        return apps != before
    }
}
