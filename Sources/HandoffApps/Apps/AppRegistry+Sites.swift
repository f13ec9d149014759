package import HandoffModel

extension AppRegistry {
    /// What the apps ask web sites for.
    package var siteClaims: Set<SiteClaim> { apps.reduce(into: []) { $0.formUnion($1.siteClaims) } }

    /// The apps that open the page of a browsing activity, by the approval of its site: those that claim the host
    /// itself first, then those whose wildcard is longer, and of equal ones in the order of ``apps``.
    ///
    /// Empty for an activity of another type, and for a page whose address has no `siteHost`.
    package func siteApps(for activity: Activity) -> [App] {
        guard activity.type == .browsingWeb, !siteApprovals.isEmpty, let host = activity.webpageURL?.siteHost else {
            return []
        }
        let ranked = apps.compactMap { app -> (app: App, rank: Int)? in
            let claims = app.siteClaims.intersection(siteApprovals).filter { $0.domain.includes(host) }
            return claims.map(\.domain.rank).max().map { (app, $0) }
        }
        return ranked.enumerated().sorted { ($1.element.rank, $0.offset) < ($0.element.rank, $1.offset) }
            .map(\.element.app).filter { $0.accepts(activity) }
    }

    /// Whether pages of some site open an app, so that only its address tells what opens a page.
    package var opensSites: Bool { !siteApprovals.isEmpty }

    /// Returns what an app gets of a browsing activity by the approval of its site: the address and the title, and no
    /// userInfo, which is for browsers.
    package static func siteActivity(of activity: Activity) -> Activity? {
        guard let page = activity.webpageURL else { return nil }
        return try? Activity(type: .browsingWeb, title: activity.title, webpageURL: page)
    }
}
