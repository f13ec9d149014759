import HandoffCore
import HandoffDaemon
import HandoffModel

/// What web sites answer, what was kept of it, and addresses of pages against claimed domains.
///
/// The first byte selects what the others are.
struct SiteTarget: FuzzTarget {
    private let host: SiteHost
    private let claims: Set<SiteClaim>

    init() throws {
        host = try SiteHost("example.org")
        let app = try ApplicationIdentifier(team: "T", app: "a")
        claims = Set(try ["example.org", "*.example.org"].map { SiteClaim(try AssociatedDomain($0), by: app) })
    }

    mutating func take(_ bytes: [UInt8]) {
        var input = FuzzInput(bytes)
        switch input.byte() % 4 {
        case 0: read(file: input.remainder())
        case 1: read(answers: &input)
        case 2: read(kept: input.remainder())
        default: match(String(decoding: input.remainder(), as: UTF8.self))
        }
    }

    private func read(file bytes: [UInt8]) {
        do throws(SiteFailure) {
            let file = try AssociationFile(bytes)
            precondition(file.apps.count <= AssociationFile.maximumApps, "apps are bounded")
            precondition(file.apps.allSatisfy { $0.utf8.allSatisfy { $0 < 0x80 } }, "apps are in ASCII")
        } catch {
            precondition(error.code == .invalidFile || error.code == .tooLarge, "a file is refused for what it is")
        }
    }

    private func read(answers input: inout FuzzInput) {
        var check = SiteCheck(of: host, validator: SiteValidator(path: .wellKnown, entityTag: "\"a\""))
        var step = check.firstStep
        for _ in 0..<3 {
            switch step {
            case .fetch:
                guard let response = try? SiteResponse(input.chunk()) else { return }
                step = check.received(response)
            case .verify: step = check.verified(input.chunk())
            case .end(let outcome): return end(with: outcome)
            }
        }
        guard case .end(let outcome) = step else {
            preconditionFailure("a check ends after two answers and a signature")
        }
        end(with: outcome)
    }

    /// Passes an outcome to the machine.
    private func end(with outcome: SiteOutcome) {
        var sites = SiteAssociations()
        var random = SystemRandomNumberGenerator()
        let now = Moment(uptime: .zero, unixMicroseconds: 1_700_000_000_000_000)
        sites.setClaims(claims, at: now)
        guard let check = sites.beginCheck(at: now) else { preconditionFailure("a claim is checked") }
        sites.end(check, outcome, at: now, using: &random)
        sites.advance(to: now)
        precondition(sites.approvals.isSubset(of: claims), "only what is claimed is approved")
    }

    private func read(kept bytes: [UInt8]) {
        guard let records = SiteCache.records(in: bytes) else { return }
        var sites = SiteAssociations()
        var random = SystemRandomNumberGenerator()
        let now = Moment(uptime: .zero, unixMicroseconds: 1_700_000_000_000_000)
        sites.restore(records, at: now, using: &random)
        sites.setClaims(claims, at: now)
        sites.checkAll(at: now)
        _ = sites.nextChange(at: now)
        for claim in claims { _ = sites.status(of: claim, at: now).failure?.reason }
        sites.advance(to: now)
    }

    private func match(_ text: String) {
        if let domain = try? AssociatedDomain(text) {
            precondition((try? AssociatedDomain(domain.description)) == domain, "a domain survives writing")
        }
        _ = try? AssociatedDomain(element: text)
        guard let page = try? WebpageURL(text), let host = page.siteHost else { return }
        precondition((try? SiteHost(host.description)) == host, "a host survives writing")
        precondition(page.host?.description == host.description, "a lenient reader finds the same host")
        let start = page.rawValue.lowercased().drop { $0 != "/" }.dropFirst(2)
        precondition(start.hasPrefix(host.description), "the address begins with its host")
    }
}
