import HandoffApps
import HandoffCore
import HandoffModel

extension Engine {
    /// Which web sites approve which apps.
    var sites: EngineSites { EngineSites(engine: self) }
}

/// Which web sites approve which apps, and when they are asked.
struct EngineSites: Sendable {
    let engine: Engine

    /// What is known of each site, to be kept.
    var records: [SiteRecord] { engine.read(\.desktop.sites.records) }

    /// Takes what an earlier run has kept.
    func restore(_ records: [SiteRecord]) {
        engine.change { state, now in
            var random = SystemRandomNumberGenerator()
            state.desktop.sites.restore(records, at: now, using: &random)
        }
    }

    /// Begins the next check that is due; nil if there is none.
    func beginCheck() -> SiteCheck? {
        engine.change { state, now in state.desktop.sites.beginCheck(at: now) }
    }

    /// Ends a check.
    func end(_ check: SiteCheck, _ outcome: SiteOutcome) {
        engine.change { state, now in
            var random = SystemRandomNumberGenerator()
            state.desktop.sites.end(check, outcome, at: now, using: &random)
        }
    }

    /// Makes a check of every site due.
    func checkAll() {
        engine.change { state, now in state.desktop.sites.checkAll(at: now) }
    }

    /// Returns what is known of the domains that an app claims, in the order of its desktop file.
    func statuses(of app: App) -> [(domain: AssociatedDomain, status: SiteStatus)] {
        let now = Moment.now
        return engine.read { state in
            app.associatedDomains.map { domain in
                guard let identifier = app.applicationIdentifier else {
                    return (domain, SiteStatus(verdict: .refused, failure: SiteFailure(.unnamed)))
                }
                guard state.rules.permits(app: app.id), state.rules.permits(pagesOf: domain) else {
                    return (domain, SiteStatus(verdict: .refused, failure: SiteFailure(.denied)))
                }
                return (domain, state.desktop.sites.status(of: SiteClaim(domain, by: identifier), at: now))
            }
        }
    }
}
