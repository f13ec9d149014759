import HandoffCore
import HandoffModel
import HandoffTestVectors
import Testing

/// The machine, its clock and its randomness.
struct AssociationWorld {
    var sites = SiteAssociations()
    var now = Moment.start(0)
    var random = SeededRandom(seed: 1603)

    mutating func pass(days: Double) { now = now.advanced(by: .milliseconds(Int64(days * 86_400_000))) }

    mutating func claim(_ claims: [SiteClaim]) { sites.setClaims(Set(claims), at: now) }

    /// Makes every check that is due; returns the hosts.
    @discardableResult
    mutating func check(_ outcome: SiteOutcome) -> [String] {
        var hosts: [String] = []
        while let check = sites.beginCheck(at: now) {
            hosts.append(check.host.description)
            sites.end(check, outcome, at: now, using: &random)
        }
        return hosts
    }

    func verdict(_ claim: SiteClaim) -> SiteStatus.Verdict { sites.status(of: claim, at: now).verdict }

    /// The approved claims, which agree with what is told of each.
    mutating func approvals() -> Set<SiteClaim> {
        sites.advance(to: now)
        return sites.approvals
    }

    /// Begins the check that is due.
    mutating func begin() throws -> SiteCheck {
        let check = sites.beginCheck(at: now)
        return try #require(check)
    }

    static let unreachable = SiteOutcome.failed(SiteFailure(.unreachable))

    static func claim(_ domain: String, by app: String = "a") throws -> SiteClaim {
        SiteClaim(try AssociatedDomain(domain), by: try ApplicationIdentifier(team: "T", app: app))
    }

    static func file(_ apps: String..., tag: String? = nil) throws -> SiteOutcome { try file(apps, tag: tag) }

    static func file(_ apps: [String], tag: String? = nil) throws -> SiteOutcome {
        let list = apps.map { "\"T.\($0)\"" }.joined(separator: ",")
        let file = try AssociationFile(Array("{\"activitycontinuation\":{\"apps\":[\(list)]}}".utf8))
        return .file(file, tag.map { SiteValidator(path: .wellKnown, entityTag: $0) })
    }
}

/// Random events, and when each site has last confirmed each app.
struct AssociationHistory {
    let claims: [SiteClaim]
    var world: AssociationWorld
    var confirmed: [String: Int64] = [:]

    init(claims: [SiteClaim], seed: UInt64) {
        self.claims = claims
        world = AssociationWorld(random: SeededRandom(seed: seed))
    }

    mutating func step() throws {
        switch Int.random(in: 0..<7, using: &world.random) {
        case 0: world.claim(claims.filter { _ in world.random.next() % 4 > 0 })
        case 1: world.pass(days: Double.random(in: 0...8, using: &world.random))
        case 2: world.sites.checkAll(at: world.now)
        case 3: restart()
        default: try check()
        }
    }

    private mutating func restart() {
        let before = world.sites
        world.sites = SiteAssociations()
        world.sites.restore(before.records, at: world.now, using: &world.random)
        if let claims = before.claims { world.sites.setClaims(claims, at: world.now) }
    }

    private mutating func check() throws {
        guard let check = world.sites.beginCheck(at: world.now) else { return }
        // A server tells that a file is unchanged only if it is asked.
        let isConditional = check.firstStep != .fetch(.wellKnown, unless: nil)
        switch Int.random(in: 0..<(isConditional ? 7 : 6), using: &world.random) {
        case 0: try end(check, ["a"])
        case 1: try end(check, ["a", "b"])
        case 2: try end(check, [])
        case 3: world.sites.end(check, AssociationWorld.unreachable, at: world.now, using: &world.random)
        case 4:
            let failure = SiteOutcome.failed(SiteFailure(.badSignature))
            world.sites.end(check, failure, at: world.now, using: &world.random)
        case 5:
            world.sites.end(check, .failed(SiteFailure(.absent)), at: world.now, using: &world.random)
            note(check, []) { _ in nil }
        default:
            world.sites.end(check, .unchanged, at: world.now, using: &world.random)
            note(check, ["a", "b"]) { [now = world.now.unixMicroseconds] in $0 == nil ? nil : now }
        }
    }

    private mutating func end(_ check: SiteCheck, _ apps: [String]) throws {
        world.sites.end(
            check,
            try AssociationWorld.file(apps, tag: "\"1\""),
            at: world.now,
            using: &world.random
        )
        note(check, apps) { [now = world.now.unixMicroseconds] _ in now }
    }

    /// Notes a new time for these apps, and none for others.
    private mutating func note(_ check: SiteCheck, _ apps: [String], _ time: (Int64?) -> Int64?) {
        for app in ["a", "b"] {
            let key = "\(check.host) T.\(app)"
            confirmed[key] = apps.contains(app) ? time(confirmed[key]) : nil
        }
    }
}
