import HandoffCore
import HandoffCrypto
import HandoffModel
import TestLimits
import Testing

@Suite("Rules decide what takes part", .endsWithin(minutes: 10))
struct RulesTests {
    /// One rule, as a person writes it.
    private static func rules(_ lines: [String]) throws -> Rules {
        var rules = Rules()
        for line in lines {
            let words = line.split(separator: " ").map(String.init)
            switch words[0] {
            case "pause": rules.pause(.untilResumed)
            case "receive-only": rules.isReceiveOnly = true
            default:
                let verdict = try #require(Rules.Verdict(rawValue: words[0]))
                let kind = try #require(RuleSubject.Kind(rawValue: words[1]))
                try rules.set(verdict, about: RuleSubject(kind, words[2]))
            }
        }
        return rules
    }

    /// An obstacle in short words: `paused`, `receive-only`, `denied KIND VALUE` or `not-allowed KIND`; `-` for none.
    private static func words(_ obstacle: RuleObstacle?) -> String {
        guard let obstacle else { return "-" }
        return [obstacle.name, obstacle.kind?.rawValue, obstacle.subject?.value].compactMap(\.self)
            .joined(separator: " ")
    }

    struct Case: CustomTestStringConvertible, Sendable {
        let rules: [String]
        /// The activity: its type, its app and its page; `-` for none.
        let activity: [String]
        let obstacle: String

        init(_ rules: [String], _ activity: String, _ obstacle: String) {
            self.rules = rules
            self.activity = activity.split(separator: " ").map(String.init)
            self.obstacle = obstacle
        }

        var testDescription: String { "\(rules) on \(activity)" }
    }

    @Test(
        "An activity of this device is offered, or the first obstacle is named",
        arguments: [
            Case([], "org.a.edit org.a.App https://a.org/", "-"),
            Case(["pause"], "org.a.edit - -", "paused"),
            Case(["receive-only"], "org.a.edit - -", "receive-only"),
            Case(["pause", "receive-only", "deny type org.a.edit"], "org.a.edit - -", "paused"),
            Case(["receive-only", "deny type org.a.edit"], "org.a.edit - -", "receive-only"),
            Case(["deny type org.a.edit"], "org.a.edit - -", "denied type org.a.edit"),
            Case(["deny type org.a.edit"], "org.a.edit.more - -", "-"),
            Case(["allow type org.a.edit"], "org.a.edit - -", "-"),
            Case(["allow type org.a.edit"], "org.b.edit - -", "not-allowed type"),
            Case(["allow type org.a.edit", "allow type org.b.edit"], "org.b.edit - -", "-"),
            Case(["allow type org.a.edit", "deny type org.b.edit"], "org.b.edit - -", "denied type org.b.edit"),
            Case(["deny app org.a.App"], "org.a.edit org.a.App -", "denied app org.a.App"),
            Case(["deny app org.a.App"], "org.a.edit org.a.Other -", "-"),
            Case(["deny app org.a.App"], "org.a.edit - -", "-"),
            Case(["allow app org.a.App"], "org.a.edit org.a.App -", "-"),
            Case(["allow app org.a.App"], "org.a.edit - -", "not-allowed app"),
            Case(["deny site a.org"], "org.a.edit - https://a.org/x", "denied site a.org"),
            Case(["deny site a.org"], "org.a.edit - http://www.A.ORG:80/", "denied site a.org"),
            Case(["deny site a.org"], "org.a.edit - https://ba.org/", "-"),
            Case(["deny site a.org"], "org.a.edit - -", "-"),
            Case(["allow site a.org"], "org.a.edit - https://b.org/", "not-allowed site"),
            Case(["allow site a.org"], "org.a.edit - https://x.a.org/", "-"),
            Case(["deny site 127.0.0.1"], "org.a.edit - http://0x7f.1:8080/", "denied site 127.0.0.1"),
            Case(["deny site 127.1"], "org.a.edit - http://[::ffff:127.0.0.1]/", "denied site 127.0.0.1"),
            Case(["deny site [::1]"], "org.a.edit - http://[0:0:0:0:0:0:0:1]/", "denied site [::1]"),
            Case(["deny site BÜRO.de"], "org.a.edit - http://x.büro.de/", "denied site xn--bro-hoa.de"),
            // Which host it is, is not known: no rule is got round by it.
            Case(["deny site localhost"], "org.a.edit - http://\u{FF4C}ocalhost/", "unknown-host site"),
            Case(["deny site b.org"], "org.a.edit - https://mu\u{308}nchen.example/", "unknown-host site"),
            Case(["allow site a.org"], "org.a.edit - https://a,b/", "unknown-host site"),
            Case(["deny type org.b.edit"], "org.a.edit - https://a,b/", "-"),
            Case(["allow site a.org"], "org.a.edit - -", "-"),
            // A rule that denies wins, however special the one is that allows.
            Case(["deny site a.org", "allow site x.a.org"], "org.a.edit - https://x.a.org/", "denied site a.org"),
            Case(["allow site a.org", "deny site x.a.org"], "org.a.edit - https://x.a.org/", "denied site x.a.org"),
            Case(["allow site a.org", "deny site x.a.org"], "org.a.edit - https://y.a.org/", "-"),
            // Each kind has to be satisfied.
            Case(["allow type org.a.edit", "deny app org.a.App"], "org.a.edit org.a.App -", "denied app org.a.App"),
            Case(
                ["allow app org.a.App", "deny site a.org"],
                "org.a.edit org.a.App https://a.org/",
                "denied site a.org"
            ),
            // The later rule about the same subject counts.
            Case(["deny type org.a.edit", "allow type org.a.edit"], "org.a.edit - -", "-"),
            // Rules about devices do not concern what is offered to all.
            Case(["deny device 0000000000000001", "allow device 0000000000000002"], "org.a.edit - -", "-"),
        ]
    )
    func offering(_ example: Case) throws {
        let (type, app, page) = (example.activity[0], example.activity[1], example.activity[2])
        let activity = try activity(type, webpage: page == "-" ? nil : page)
        let rules = try Self.rules(example.rules)
        #expect(Self.words(rules.obstacle(toOffering: activity, by: app == "-" ? nil : app)) == example.obstacle)
    }

    @Test(
        "An activity of another device is shown, or the first obstacle is named",
        arguments: [
            ([], "-"), (["pause"], "paused"), (["receive-only"], "-"),
            (["deny type org.a.edit"], "denied type org.a.edit"), (["allow type org.b.edit"], "not-allowed type"),
            (["allow type org.a.edit"], "-"), (["deny device 0000000000000001"], "denied device 0000000000000001"),
            (["deny device 0000000000000002"], "-"), (["allow device 0000000000000002"], "not-allowed device"),
            (["allow device 0000000000000001"], "-"),
            (["deny type org.a.edit", "deny device 0000000000000001"], "denied device 0000000000000001"),
            (["deny app org.a.App", "deny site a.org"], "-"),
        ]
    )
    func showing(_ lines: [String], _ obstacle: String) throws {
        let rules = try Self.rules(lines)
        let type = try ActivityType("org.a.edit")
        let found = rules.obstacle(toShowing: type.hash, of: nil, from: try .sample(1))
        #expect(Self.words(found) == obstacle)
        let ofTeam = ActivityKind(type, team: "T1")
        let foundOfTeam = rules.obstacle(toShowing: ofTeam.hash, of: type, from: try .sample(1))
        #expect(Self.words(foundOfTeam) == obstacle, "its team makes no difference")
    }

    @Test("A page that was fetched is subject to the rules about sites")
    func taking() throws {
        let rules = try Self.rules(["deny site a.org"])
        let page = try activity("org.a.edit", webpage: "https://www.a.org/")
        #expect(Self.words(rules.obstacle(toTaking: page, from: try .sample(1))) == "denied site a.org")
        #expect(rules.obstacle(toTaking: try activity("org.a.edit"), from: try .sample(1)) == nil)
    }

    @Test("An app gets activities, unless a rule denies it or allows only others")
    func targets() throws {
        #expect(try Self.rules([]).permits(app: "org.a.App"))
        #expect(try !Self.rules(["deny app org.a.App"]).permits(app: "org.a.App"))
        #expect(try !Self.rules(["allow app org.b.App"]).permits(app: "org.a.App"))
    }

    @Test(
        "Pages of a domain open apps, unless rules deny its host or allow no host of it",
        arguments: [
            (["deny site a.org"], "a.org", false), (["deny site a.org"], "*.a.org", false),
            (["deny site a.org"], "b.a.org", false), (["deny site b.a.org"], "a.org", true),
            (["deny site b.a.org"], "*.a.org", true), (["allow site a.org"], "b.a.org", true),
            (["allow site b.org"], "a.org", false), (["allow site b.a.org"], "a.org", false),
            (["allow site b.a.org"], "*.a.org", true), (["deny app a.org", "pause"], "a.org", true),
        ]
    )
    func domains(_ lines: [String], _ domain: String, _ isPermitted: Bool) throws {
        #expect(try Self.rules(lines).permits(pagesOf: AssociatedDomain(domain)) == isPermitted)
    }

    @Test("A pause ends at its time by the wall clock, whatever the uptime")
    func pause() throws {
        var rules = Rules()
        let end = Moment.at(60).unixMicroseconds
        rules.pause(.until(end))
        #expect(rules.pauseEnd(at: .at(0)) == Moment.at(60).uptime)
        // The machine was restarted, and the clock went on.
        let later = Moment(uptime: .seconds(1), unixMicroseconds: end - 5_000_000)
        #expect(rules.pauseEnd(at: later) == .seconds(6))
        rules.expire(at: later)
        #expect(rules.isPaused)
        rules.expire(at: Moment(uptime: .seconds(2), unixMicroseconds: end))
        #expect(!rules.isPaused)
    }

    @Test("A pause without an end does not end by itself")
    func endlessPause() {
        var rules = Rules()
        rules.pause(.untilResumed)
        rules.expire(at: .at(1_000_000))
        #expect(rules.isPaused)
        #expect(rules.pauseEnd(at: .at(0)) == nil)
        rules.resume()
        #expect(!rules.isPaused)
    }

    @Test("A rule that does not exist cannot be removed, and there is a most of rules")
    func limits() throws {
        var rules = Rules()
        let subject = RuleSubject.device(try .sample(1))
        let absence = #expect(throws: HandoffError.self) { try rules.remove(about: subject) }
        #expect(absence?.code == .noSuchRule)
        for number in 0..<Rules.maximumCount {
            try rules.set(.deny, about: .device(DeviceID(number: UInt64(number))))
        }
        // One that is there can still be changed.
        try rules.set(.allow, about: subject)
        let error = #expect(throws: HandoffError.self) { try rules.set(.deny, about: .type(ActivityType("a.b"))) }
        #expect(error?.code == .limitReached)
    }

    @Test("Each obstacle says how to end it", arguments: [RuleObstacle.paused, .receiveOnly, .notAllowed(.app)])
    func explanations(_ obstacle: RuleObstacle) {
        #expect(obstacle.explanation.contains("`handoffctl "))
        #expect(obstacle.error.code == (obstacle == .paused ? .paused : .denied))
    }
}
