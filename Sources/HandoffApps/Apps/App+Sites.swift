package import HandoffModel

extension App {
    /// The name by which web sites approve it; nil if it cannot be named to them.
    package var applicationIdentifier: ApplicationIdentifier? {
        try? ApplicationIdentifier(team: teamID ?? "", app: id)
    }

    /// What it asks web sites for; empty if it cannot be named to them.
    package var siteClaims: Set<SiteClaim> {
        guard let identifier = applicationIdentifier else { return [] }
        return Set(associatedDomains.map { SiteClaim($0, by: identifier) })
    }

    /// The domains that a desktop file declares, without those for other services.
    ///
    /// - Throws: ``AppError`` for a malformed domain, and for more than `AssociatedDomain.maximumCount`.
    static func associatedDomains(_ entry: DesktopEntry) throws(AppError) -> [AssociatedDomain] {
        let key = "X-Handoff-AssociatedDomains"
        var domains: [AssociatedDomain] = []
        for element in entry.strings(key) {
            do throws(ModelError) {
                guard let domain = try AssociatedDomain(element: element), !domains.contains(domain) else { continue }
                domains.append(domain)
            } catch {
                throw AppError(key: key, "is invalid: \(error.message)")
            }
        }
        guard domains.count <= AssociatedDomain.maximumCount else {
            throw AppError(key: key, "lists \(domains.count) domains; the most are \(AssociatedDomain.maximumCount).")
        }
        return domains
    }
}
