package import HandoffModel

/// The apps of this computer that continue activities, and the choice among them for an activity.
package struct AppRegistry: Hashable, Sendable {
    /// An invalid desktop file.
    package struct Fault: Hashable, Sendable {
        /// The path of the file.
        package let file: String
        /// What is wrong with it, and the valid values.
        package let message: String

        package init(file: String, message: String) {
            self.file = file
            self.message = message
        }
    }

    /// What opens an activity on this device.
    package enum LaunchTarget: Hashable, Sendable {
        case app(App)
        /// The web page, in the browser.
        case browser
        /// The document, in an app for documents of its kind.
        case document
        /// Nothing: no app claims the type, and there is neither a web page nor a document.
        case none
    }

    /// The apps, in the order of their directories, and by id within each directory.
    package let apps: [App]
    /// The invalid files among those that declare activity or document types.
    package let faults: [Fault]
    /// The teams that desktop files declare, by the ids of their apps, which need not continue activities.
    package let teams: [String: String]
    /// The id of the app that the user prefers for a type.
    package var defaults: [ActivityType: String] = [:]
    /// The id of the default web browser, which need not continue activities; nil if there is none.
    package var browserID: String?
    /// Which claims of the apps their sites have approved.
    package var siteApprovals: Set<SiteClaim> = []

    package init(apps: [App] = [], faults: [Fault] = [], teams: [String: String] = [:]) {
        self.apps = apps
        self.faults = faults
        self.teams = teams
    }

    /// Returns the same registry with those of its apps for which `isIncluded` holds.
    package func filtered(_ isIncluded: (App) -> Bool) -> AppRegistry {
        var filtered = AppRegistry(apps: apps.filter(isIncluded), faults: faults, teams: teams)
        filtered.defaults = defaults
        filtered.browserID = browserID
        filtered.siteApprovals = siteApprovals
        return filtered
    }

    /// The types that at least one app claims, each with the team of the app; that of web pages also if an app claims a domain.
    package var kinds: Set<ActivityKind> {
        let page = ActivityKind(.browsingWeb, team: nil)
        let sites: Set<ActivityKind> = apps.contains { !$0.associatedDomains.isEmpty } ? [page] : []
        return apps.reduce(into: sites) { kinds, app in
            kinds.formUnion(app.types.map { ActivityKind($0, team: app.teamID) })
        }
    }

    /// The apps that claim a type: the user's default first, then, for web pages, the default browser, then the others
    /// in the order of ``apps``.
    ///
    /// What stands for the windows of a browser is among them only while that is the default browser, or if the user has
    /// chosen it for the type.
    package func claimants(of type: ActivityType) -> [App] {
        let chosen = defaults[type]
        let claimants = apps.filter { app in
            app.types.contains(type) && (app.browsers.isEmpty || app.id == chosen || app.isOrStands(for: browserID))
        }
        return claimants.sorted(byRank: { app in
            app.id == chosen ? 0 : type == .browsingWeb && app.isOrStands(for: browserID) ? 1 : 2
        })
    }

    /// The default browser, or what stands for its windows, if it continues activities of the type
    /// `NSUserActivityTypeBrowsingWeb`.
    package var browser: App? {
        let browsers = apps.filter { $0.types.contains(.browsingWeb) && $0.isOrStands(for: browserID) }
        return browsers.first { $0.id == browserID } ?? browsers.first
    }

    /// The launch target of an activity of which only the advertisement is known.
    ///
    /// An app that continues activities of some titles only is not named before the title is known.
    ///
    /// - Parameters:
    ///   - kind: its type and team; nil if this device does not know the hash.
    ///   - hasWebpage: whether it has a web page.
    ///   - hasDocument: whether it has a document that can be opened here.
    package func launchTarget(for kind: ActivityKind?, hasWebpage: Bool, hasDocument: Bool = false) -> LaunchTarget {
        let app = kind.flatMap { kind in
            claimants(of: kind.type).first { app in
                app.titles.isEmpty && app.matches(team: kind.team, type: kind.type)
                    && app.mightAccept(hasWebpage: hasWebpage, hasDocument: hasDocument)
            }
        }
        return app.map(LaunchTarget.app) ?? Self.fallback(hasWebpage: hasWebpage, hasDocument: hasDocument)
    }

    /// The apps that may get an activity, in order of preference: those that its page's site approves, then the claimants
    /// of its team that accept it.
    ///
    /// After the user's default app come those that name its title, then those that continue activities of any title.
    package func recipients(of activity: Activity) -> [App] {
        let siteApps = siteApps(for: activity)
        return siteApps + typeRecipients(of: activity).filter { !siteApps.contains($0) }
    }

    /// The same without regard to sites.
    package func typeRecipients(of activity: Activity) -> [App] {
        let recipients = claimants(of: activity.type).filter { app in
            app.matches(team: activity.teamID, type: activity.type) && app.continues(title: activity.title)
                && app.accepts(activity)
        }
        let chosen = defaults[activity.type]
        return recipients.sorted(byRank: { $0.id == chosen ? 0 : $0.titles.isEmpty ? 2 : 1 })
    }

    private static func fallback(hasWebpage: Bool, hasDocument: Bool) -> LaunchTarget {
        hasWebpage ? .browser : hasDocument ? .document : .none
    }
}

extension [App] {
    /// The apps by ascending rank; those of equal rank stay in their order.
    fileprivate func sorted(byRank rank: (App) -> Int) -> [App] {
        enumerated().sorted { (rank($0.element), $0.offset) < (rank($1.element), $1.offset) }.map(\.element)
    }
}

extension App {
    /// Whether it could accept an activity of which only the advertisement is known.
    fileprivate func mightAccept(hasWebpage: Bool, hasDocument: Bool) -> Bool {
        guard case .command(let command) = launchMethod else { return true }
        // A program that only opens web pages cannot continue an activity without one.
        return hasWebpage && command.line.takesURL || hasDocument && command.line.takesDocument
    }

    /// Whether its launch method can pass on the activity.
    func accepts(_ activity: Activity) -> Bool {
        guard case .command(let command) = launchMethod else { return true }
        return activity.webpageURL != nil && command.line.takesURL
            || activity.documentURL != nil && command.line.takesDocument
    }
}
