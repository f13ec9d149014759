import HandoffApps
import HandoffCore
import HandoffCrypto
import HandoffFolders
import HandoffModel

/// The engine's state of the desktop: the installed apps, and the synchronised folders.
struct DesktopState: Sendable {
    private(set) var apps = AppRegistry()
    /// The types that apps handle, by their hashes.
    private(set) var types: [ActivityTypeHash: ActivityType] = [:]
    var folders = SyncedFolders()

    /// Replaces the apps; returns whether they differ from the previous ones.
    mutating func setApps(_ registry: AppRegistry) -> Bool {
        guard registry != apps else { return false }
        apps = registry
        types = Dictionary(registry.types.sorted().map { ($0.hash, $0) }) { first, _ in first }
        return true
    }
}
