import HandoffApps
import HandoffCore
import HandoffCrypto
import HandoffModel

/// The engine's state of the desktop: the installed apps, and the synchronised folders.
struct DesktopState: Sendable {
    /// The installed apps that continue activities.
    private(set) var installedApps = AppRegistry()
    /// Those of them that the rules of the person allow.
    private(set) var apps = AppRegistry()
    /// The types that apps handle, with their teams, by their hashes.
    private(set) var kinds: [ActivityTypeHash: ActivityKind] = [:]
    var folders = SyncedFolders()
    /// Which web sites approve which apps.
    var sites = SiteAssociations()
    /// What the allowed apps ask allowed web sites for.
    private var siteClaims: Set<SiteClaim> = []
    /// Whether the apps are known.
    private var hasApps = false
    /// The state of ``sites`` that was shown last.
    private var shownSites: UInt64 = 0
    /// Whether the user is notified of nearby activities.
    var notifies = true

    /// Replaces the apps; returns whether they differ from the previous ones.
    mutating func setApps(_ registry: AppRegistry, _ rules: Rules) -> Bool {
        guard registry != installedApps else { return false }
        installedApps = registry
        kinds = Dictionary(registry.kinds.map { ($0.hash, $0) }) { min($0, $1) }
        _ = apply(rules)
        return true
    }

    /// Applies the rules about apps and sites; returns whether other apps are allowed now.
    mutating func apply(_ rules: Rules) -> Bool {
        let before = apps
        apps = installedApps.filtered { rules.permits(app: $0.id) }
        siteClaims = apps.siteClaims.filter { rules.permits(pagesOf: $0.domain) }
        sites.setPaused(rules.isPaused)
        return apps != before
    }

    /// Notes that the installed apps are known from now on: what none of them claims is forgotten.
    mutating func appsAreKnown() {
        hasApps = true
    }

    /// Brings the approvals of sites up to date; returns whether they, or what is known of a site, are others than before.
    mutating func advanceSites(to now: Moment) -> Bool {
        if hasApps { sites.setClaims(siteClaims, at: now) }
        let before = shownSites
        shownSites = sites.version
        guard sites.advance(to: now) else { return shownSites != before }
        installedApps.siteApprovals = sites.approvals
        apps.siteApprovals = sites.approvals
        return true
    }
}
