import HandoffCore
import HandoffModel
import HandoffTestVectors
import TestLimits
import Testing

@Suite(
    "A site is asked when an app claims it and daily, and its answer holds as long as it may",
    .endsWithin(minutes: 10)
)
struct SiteAssociationsTests {
    @Test("A claim is pending until the site has answered; then its pages open the app, or do not")
    func answer() throws {
        let (one, two) = (
            try AssociationWorld.claim("example.org", by: "a"), try AssociationWorld.claim("*.example.org", by: "b")
        )
        var world = AssociationWorld()
        #expect(world.sites.beginCheck(at: world.now) == nil, "what apps claim is not known yet")
        world.claim([one, two])
        #expect(world.verdict(one) == .pending && world.sites.status(of: one, at: world.now).isChecking)
        #expect(
            world.check(try AssociationWorld.file("a")) == ["example.org"],
            "a wildcard's file is that of the host above"
        )
        #expect(world.verdict(one) == .approved && world.verdict(two) == .refused)
        #expect(world.sites.status(of: two, at: world.now).failure == SiteFailure(.notListed, "T.b"))
        #expect(world.approvals() == [one])
    }

    @Test("A site is asked once for all that is claimed of it, and again only after 20 to 28 hours, at random")
    func daily() throws {
        var times: Set<Int64> = []
        for seed in 0..<50 {
            var world = AssociationWorld(random: SeededRandom(seed: UInt64(seed)))
            world.claim([try AssociationWorld.claim("example.org")])
            world.check(try AssociationWorld.file("a"))
            world.pass(days: 19.9 / 24)
            #expect(world.check(try AssociationWorld.file("a")).isEmpty)
            let next = try #require(world.sites.nextChange(at: world.now)) - world.now.uptime
            world.now = world.now.advanced(by: next)
            times.insert(world.now.unixMicroseconds)
            #expect(world.now.uptime <= .seconds(28 * 3600) + .seconds(1))
            #expect(world.sites.hasDueCheck(at: world.now))
            #expect(world.check(try AssociationWorld.file("a")) == ["example.org"])
        }
        #expect(times.count == 50)
    }

    @Test("No file, or a file without the app, revokes an approval at once", arguments: [true, false])
    func revoked(hasFile: Bool) throws {
        let claim = try AssociationWorld.claim("example.org")
        var world = AssociationWorld()
        world.claim([claim])
        world.check(try AssociationWorld.file("a"))
        world.pass(days: 2)
        world.check(hasFile ? try AssociationWorld.file("b") : .failed(SiteFailure(.absent)))
        #expect(world.verdict(claim) == .refused && world.approvals().isEmpty)
    }

    @Test(
        "Any other failure leaves an approval for 30 days since it was confirmed",
        arguments: SiteFailure.Code.allCases.filter { $0 != .absent }
    )
    func offline(code: SiteFailure.Code) throws {
        let claim = try AssociationWorld.claim("example.org")
        var world = AssociationWorld()
        world.claim([claim])
        world.check(try AssociationWorld.file("a"))
        for day in 1...29 {
            world.pass(days: 1)
            world.check(.failed(SiteFailure(code)))
            #expect(world.verdict(claim) == .approved, "day \(day)")
        }
        let lapse = try #require(world.sites.nextChange(at: world.now))
        #expect(lapse <= world.now.uptime + .seconds(86_400))
        world.pass(days: 0.999)
        #expect(world.approvals() == [claim])
        world.pass(days: 0.002)
        #expect(world.approvals().isEmpty && world.verdict(claim) == .lapsed)
        world.pass(days: 1.2)
        world.check(try AssociationWorld.file("a"))
        #expect(world.approvals() == [claim])
    }

    @Test("A file that is unchanged confirms the approval, and is asked for with its entity tag")
    func unchanged() throws {
        let claim = try AssociationWorld.claim("example.org")
        var world = AssociationWorld()
        world.claim([claim])
        world.check(try AssociationWorld.file("a", tag: "\"1\""))
        for _ in 0..<40 {
            world.pass(days: 1.2)
            let check = try world.begin()
            #expect(check.firstStep == .fetch(.wellKnown, unless: "\"1\""))
            world.sites.end(check, .unchanged, at: world.now, using: &world.random)
        }
        #expect(world.verdict(claim) == .approved)
    }

    @Test("An app that comes later is asked about at once, without the entity tag, also after a failure")
    func later() throws {
        let (one, two) = (
            try AssociationWorld.claim("example.org", by: "a"), try AssociationWorld.claim("example.org", by: "b")
        )
        var world = AssociationWorld()
        world.claim([one])
        world.check(try AssociationWorld.file("a", "b", tag: "\"1\""))
        world.claim([one, two])
        #expect(world.verdict(one) == .approved && world.verdict(two) == .pending)
        #expect(world.check(AssociationWorld.unreachable) == ["example.org"])
        #expect(world.verdict(two) == .pending)
        world.pass(days: 0.01)
        let check = try world.begin()
        #expect(check.firstStep == .fetch(.wellKnown, unless: nil))
        world.sites.end(check, try AssociationWorld.file("a", "b"), at: world.now, using: &world.random)
        #expect(world.approvals() == [one, two])
    }

    @Test("A claim that disappears is forgotten, and its site is asked again when it comes back")
    func disappeared() throws {
        let claim = try AssociationWorld.claim("example.org")
        var world = AssociationWorld()
        world.claim([claim])
        world.check(try AssociationWorld.file("a"))
        world.claim([])
        #expect(world.sites.records.isEmpty && world.approvals().isEmpty)
        world.claim([claim])
        #expect(world.verdict(claim) == .pending)
        #expect(world.check(try AssociationWorld.file("a")) == ["example.org"])
    }

    @Test("The answer to a check whose claim has disappeared meanwhile does not count, even if the claim is back")
    func overtaken() throws {
        let claim = try AssociationWorld.claim("example.org")
        var world = AssociationWorld()
        world.claim([claim])
        let check = try world.begin()
        #expect(world.sites.beginCheck(at: world.now) == nil, "one check of a site at a time")
        world.claim([])
        world.claim([claim])
        world.sites.end(check, try AssociationWorld.file("a"), at: world.now, using: &world.random)
        #expect(world.verdict(claim) == .pending)
        #expect(world.check(try AssociationWorld.file("a")) == ["example.org"])
        world.sites.end(check, .failed(SiteFailure(.absent)), at: world.now, using: &world.random)
        #expect(world.verdict(claim) == .approved)
    }

    @Test("An approval is of one app of one team: another file name or team is asked about anew")
    func otherTeam() throws {
        let domain = try AssociatedDomain("example.org")
        let before = SiteClaim(domain, by: try ApplicationIdentifier(team: "T", app: "a"))
        let after = SiteClaim(domain, by: try ApplicationIdentifier(team: "U", app: "a"))
        var world = AssociationWorld()
        world.claim([before])
        world.check(try AssociationWorld.file("a"))
        world.claim([after])
        #expect(world.approvals().isEmpty)
        #expect(world.check(try AssociationWorld.file("a")) == ["example.org"])
        #expect(world.verdict(after) == .refused)
    }

    @Test("What was kept holds after a restart; what is due is asked within 15 minutes, what has lapsed at once")
    func restart() throws {
        let claim = try AssociationWorld.claim("example.org")
        var world = AssociationWorld()
        world.claim([claim])
        world.check(try AssociationWorld.file("a"))
        for (days, verdict) in [(2.0, SiteStatus.Verdict.approved), (31, .lapsed)] {
            var next = AssociationWorld(now: world.now)
            next.pass(days: days)
            next.sites.restore(world.sites.records, at: next.now, using: &next.random)
            #expect(next.approvals().isEmpty, "until it is known that an app still claims it")
            next.claim([claim])
            #expect(next.verdict(claim) == verdict)
            #expect(next.sites.hasDueCheck(at: next.now) == (verdict == .lapsed))
            next.pass(days: 15.0 / 60 / 24)
            #expect(next.check(try AssociationWorld.file("a")) == ["example.org"])
            #expect(next.verdict(claim) == .approved)
        }
    }

    @Test("A clock that was wrong makes a check due, and no approval longer")
    func clock() throws {
        let claim = try AssociationWorld.claim("example.org")
        var world = AssociationWorld()
        world.claim([claim])
        world.check(try AssociationWorld.file("a"))
        world.pass(days: -3)
        #expect(world.verdict(claim) == .lapsed, "confirmed in the future")
        #expect(world.check(AssociationWorld.unreachable) == ["example.org"])
        #expect(world.approvals().isEmpty)
        world.pass(days: 32.9)
        #expect(world.verdict(claim) == .approved)
        world.pass(days: 0.2)
        #expect(world.verdict(claim) == .lapsed)
    }

    @Test("A site that cannot be asked is tried again soon, and then less and less often")
    func retries() throws {
        var world = AssociationWorld()
        world.claim([try AssociationWorld.claim("example.org")])
        var attempts = 0
        for _ in 0..<(24 * 60) {
            attempts += world.check(AssociationWorld.unreachable).count
            world.pass(days: 1.0 / 24 / 60)
        }
        #expect((4...6).contains(attempts))
    }

    @Test(
        "After a failure that may pass, such as a wrong certificate behind a portal, a site is asked again soon",
        arguments: SiteFailure.Code.allCases
    )
    func retries(code: SiteFailure.Code) throws {
        let claim = try AssociationWorld.claim("example.org")
        var world = AssociationWorld()
        world.claim([claim])
        world.check(.failed(SiteFailure(code)))
        let notAsked: Set<SiteFailure.Code> = [.toolMissing, .unreachable, .timedOut, .insecure]
        #expect(world.verdict(claim) == (notAsked.contains(code) ? .pending : .refused))
        world.pass(days: 0.25 / 24)
        #expect(world.sites.hasDueCheck(at: world.now) == notAsked.union([.badStatus, .invalidAnswer]).contains(code))
    }

    @Test("A request is told as being checked until it has been, also when the site was asked a moment before")
    func requested() throws {
        let claim = try AssociationWorld.claim("example.org")
        var world = AssociationWorld()
        world.claim([claim])
        world.check(try AssociationWorld.file("a"))
        world.sites.checkAll(at: world.now)
        #expect(world.sites.status(of: claim, at: world.now).isChecking && !world.sites.hasDueCheck(at: world.now))
        world.now = world.now.advanced(by: .seconds(5))
        let check = try world.begin()
        world.sites.checkAll(at: world.now)
        world.sites.end(check, try AssociationWorld.file("b"), at: world.now, using: &world.random)
        #expect(!world.sites.status(of: claim, at: world.now).isChecking && world.verdict(claim) == .refused)
    }

    @Test("During a pause no site is asked, unless the person requests it; what is approved stays so")
    func pause() throws {
        let claim = try AssociationWorld.claim("example.org")
        var world = AssociationWorld()
        world.sites.setPaused(true)
        world.claim([claim])
        #expect(!world.sites.hasDueCheck(at: world.now) && !world.sites.status(of: claim, at: world.now).isChecking)
        world.sites.checkAll(at: world.now)
        #expect(world.check(try AssociationWorld.file("a")) == ["example.org"])
        world.pass(days: 3)
        #expect(world.check(try AssociationWorld.file("b")).isEmpty && world.approvals() == [claim])
        world.sites.setPaused(false)
        #expect(world.check(try AssociationWorld.file("b")) == ["example.org"])
    }

    @Test("An app that claims many sites takes the place of none that is known")
    func displaced() throws {
        let known = try AssociationWorld.claim("zebra.example")
        var world = AssociationWorld()
        world.claim([known])
        world.check(try AssociationWorld.file("a"))
        world.claim([known] + (try (0..<210).map { try AssociationWorld.claim("s\(1000 + $0).example") }))
        #expect(world.approvals() == [known])
        #expect(world.check(try AssociationWorld.file("a")).count == 199)
    }

    @Test("A request checks every site now, but none twice within 5 seconds")
    func request() throws {
        var world = AssociationWorld()
        world.claim([try AssociationWorld.claim("example.org"), try AssociationWorld.claim("example.com")])
        world.check(try AssociationWorld.file("a"))
        world.pass(days: 0.1)
        world.sites.checkAll(at: world.now)
        #expect(world.check(try AssociationWorld.file("a")) == ["example.com", "example.org"])
        world.sites.checkAll(at: world.now)
        #expect(world.check(try AssociationWorld.file("a")).isEmpty)
        world.now = world.now.advanced(by: .seconds(5))
        #expect(world.check(try AssociationWorld.file("a")).count == 2)
    }

    @Test("At most four sites are asked at once, and at most 200 at all")
    func bounds() throws {
        let claims = try (0..<210).map { try AssociationWorld.claim("s\(1000 + $0).example") }
        var world = AssociationWorld()
        world.claim(claims)
        let checks = (0..<5).compactMap { _ in world.sites.beginCheck(at: world.now) }
        #expect(checks.count == 4)
        for check in checks {
            world.sites.end(check, try AssociationWorld.file("a"), at: world.now, using: &world.random)
        }
        #expect(world.check(try AssociationWorld.file("a")).count == 196)
        #expect(world.verdict(claims[199]) == .approved)
        #expect(world.sites.status(of: claims[200], at: world.now).failure == SiteFailure(.tooManySites))
    }

    @Test("Whatever happens in whatever order, only what a site has confirmed within 30 days is approved")
    func random() throws {
        let claims = try ["a", "b"].flatMap { app in
            try ["example.org", "*.example.org", "example.com"].map { try AssociationWorld.claim($0, by: app) }
        }
        var approvals = 0
        for seed in 0..<100 {
            var history = AssociationHistory(claims: claims, seed: UInt64(seed))
            for _ in 0..<200 {
                try history.step()
                for claim in history.world.approvals() {
                    approvals += 1
                    #expect(history.world.sites.claims?.contains(claim) == true)
                    let time = try #require(history.confirmed["\(claim.domain.host) \(claim.app)"], "seed \(seed)")
                    #expect(history.world.now.unixMicroseconds - time < 30 * 86_400_000_000)
                }
            }
        }
        #expect(approvals > 1000)
    }
}
