import HandoffCore
import HandoffModel
import HandoffWire
import TestLimits
import Testing

@Suite("The origin obeys the rules", .endsWithin(minutes: 10))
struct OriginRulesTests {
    private static let notes = "org.example.notes.editing"
    private static let mail = "org.example.mail.composing"

    private var origin = Origin()

    private mutating func publish(_ type: String, at now: Moment = .at(0)) throws -> ActivityID {
        let id = try origin.create(activity(type), owner: ":1.1", isEligible: true).id
        try origin.becomeCurrent(id, by: ":1.1", at: now)
        _ = origin.advance(to: now)
        return id
    }

    private static func denying(_ type: String) throws -> Rules {
        var rules = Rules()
        try rules.set(.deny, about: .type(ActivityType(type)))
        return rules
    }

    private mutating func isGiven(_ type: String, at now: Moment) throws -> Bool {
        try origin.answer(anyNumberOf: type, at: now).activity != nil
    }

    private mutating func content(at now: Moment) -> AdvertisementPacer.Content? {
        origin.advance(to: now).broadcast?.content
    }

    @Test(
        "A rule that comes after the publication withdraws the activity, which is not given, not even in a grace period"
    )
    mutating func later() throws {
        let id = try publish(Self.notes)
        #expect(content(at: .at(0))?.activity?.typeHash == (try hash(Self.notes)))
        origin.setRules(try Self.denying(Self.notes), at: .at(1))
        #expect(content(at: .at(1)) == .withdrawal)
        #expect(try !isGiven(Self.notes, at: .at(1)))
        #expect(content(at: .at(8)) == nil)
        #expect(origin.current?.id == id, "the app sees no difference")
        #expect(origin.obstacle(to: id) == .denied(.type(try ActivityType(Self.notes))))
        origin.setRules(Rules(), at: .at(9))
        #expect(content(at: .at(9))?.activity?.typeHash == (try hash(Self.notes)))
        #expect(try isGiven(Self.notes, at: .at(9)))
    }

    @Test("An activity that is denied when it becomes current is never advertised, and none takes its place")
    mutating func earlier() throws {
        origin.setRules(try Self.denying(Self.mail), at: .at(0))
        _ = try publish(Self.notes)
        _ = content(at: .at(0))
        _ = try publish(Self.mail, at: .at(1))
        #expect(content(at: .at(1)) == .withdrawal)
        #expect(try !isGiven(Self.mail, at: .at(1)))
        #expect(content(at: .at(8)) == nil)
        #expect(try !isGiven(Self.notes, at: .at(12)))
    }

    @Test("An activity that moves on to a denied site is withdrawn")
    mutating func navigation() throws {
        var rules = Rules()
        try rules.set(.deny, about: .site(HostName("bank.example")))
        origin.setRules(rules, at: .at(0))
        let id = try publish(Self.notes)
        _ = content(at: .at(0))
        let page = try activity(Self.notes, webpage: "https://www.bank.example/account")
        try origin.update(id, by: ":1.1", at: .at(1)) { $0.activity = page }
        #expect(content(at: .at(1)) == .withdrawal)
        #expect(try !isGiven(Self.notes, at: .at(1)))
    }

    @Test("A request that waits for the app gets nothing when the rule comes meanwhile, and no app is asked any more")
    mutating func saving() throws {
        let id = try publish(Self.notes)
        try origin.update(id, by: ":1.1", at: .at(0)) {
            $0.delegate = "/app"
            $0.needsSave = true
        }
        let request = try FetchRequest.sample()
        guard case .saving(id, .some) = origin.prepare(for: request, at: .at(1)) else {
            Issue.record("the app was not asked")
            return
        }
        origin.setRules(try Self.denying(Self.notes), at: .at(2))
        #expect(origin.answer(to: request, after: id, at: .at(2)).refusalCode == .noLongerCurrent)
        #expect(origin.prepare(for: request, at: .at(2)) == .ready)
    }

    @Test("No stream leads to a denied activity, though it was fetched before")
    mutating func streams() throws {
        let id = try publish(Self.notes)
        let streaming = try Activity(type: ActivityType(Self.notes), supportsContinuationStreams: true)
        try origin.update(id, by: ":1.1", at: .at(0)) {
            $0.activity = streaming
            $0.delegate = "/app"
        }
        let fetch = try FetchRequest.sample()
        let token = try #require(origin.answer(to: fetch, at: .at(1)).activity?.properties.streamToken)
        origin.acknowledged(id, by: try .sample(1))
        #expect(origin.answer(to: StreamRequest(activity: token), from: try .sample(1)).answer == .stream)
        origin.setRules(try Self.denying(Self.notes), at: .at(2))
        #expect(
            origin.answer(to: StreamRequest(activity: token), from: try .sample(1)).answer.refusalCode
                == .noSuchActivity
        )
    }

    @Test("A pause ends the cover advertisement, too, which comes back with its end")
    mutating func cover() throws {
        origin.cover(true)
        #expect(content(at: .at(0)) == .withdrawal)
        #expect(content(at: .at(60)) == .withdrawal)
        var rules = Rules()
        rules.pause(.untilResumed)
        origin.setRules(rules, at: .at(61))
        #expect(content(at: .at(61)) == nil)
        origin.cover(true)
        #expect(content(at: .at(62)) == nil)
        origin.setRules(Rules(), at: .at(63))
        #expect(content(at: .at(63)) == .withdrawal)
    }
}
