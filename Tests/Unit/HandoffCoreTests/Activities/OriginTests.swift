import HandoffCore
import HandoffModel
import HandoffWire
import TestLimits
import Testing

@Suite("The origin of activities", .endsWithin(minutes: 10))
struct OriginTests {
    private static let notes = "org.example.notes.editing"
    private static let mail = "org.example.mail.composing"

    private var origin = Origin()

    private mutating func create(_ type: String, owner: Client = ":1.1", eligible: Bool = true) throws -> ActivityID {
        try origin.create(activity(type), owner: owner, isEligible: eligible).id
    }

    /// Makes an activity current, which is advertised at once.
    private mutating func show(_ id: ActivityID, at now: Moment) throws {
        try origin.becomeCurrent(id, by: ":1.1", at: now)
        _ = origin.advance(to: now)
    }

    private mutating func answer(_ type: String, at now: Moment) throws -> Answer {
        try origin.answer(anyNumberOf: type, at: now)
    }

    private mutating func isGiven(_ type: String, at now: Moment) throws -> Bool {
        if case .activity(let given) = try answer(type, at: now) { return given.type.rawValue == type }
        return false
    }

    @Test("An activity is not current before it asks to be")
    mutating func creation() throws {
        _ = try create(Self.notes)
        #expect(origin.current == nil)
        #expect(try !isGiven(Self.notes, at: .at(0)))
    }

    @Test("The newest activity that asked is current, and the one below follows when it resigns or ends")
    mutating func stack() throws {
        let notes = try create(Self.notes)
        let mail = try create(Self.mail)
        try origin.becomeCurrent(notes, by: ":1.1", at: .at(0))
        try origin.becomeCurrent(mail, by: ":1.1", at: .at(1))
        #expect(origin.current?.id == mail)
        try origin.resignCurrent(mail, by: ":1.1", at: .at(2))
        #expect(origin.current?.id == notes)
        try show(mail, at: .at(3))
        try origin.invalidate(mail, by: ":1.1", at: .at(4))
        #expect(origin.current?.id == notes)
    }

    @Test("An ineligible activity is skipped, and is current once it is eligible")
    mutating func eligibility() throws {
        let notes = try create(Self.notes)
        let mail = try create(Self.mail, eligible: false)
        try origin.becomeCurrent(notes, by: ":1.1", at: .at(0))
        try origin.becomeCurrent(mail, by: ":1.1", at: .at(1))
        #expect(origin.current?.id == notes)
        try origin.update(mail, by: ":1.1", at: .at(2)) { $0.isEligible = true }
        #expect(origin.current?.id == mail)
    }

    @Test("Only the current activity can be fetched")
    mutating func answers() throws {
        let notes = try create(Self.notes)
        try show(notes, at: .at(0))
        #expect(try isGiven(Self.notes, at: .at(1)))
        guard case .refusal(let refusal) = try answer(Self.mail, at: .at(1)) else {
            Issue.record("another activity was sent")
            return
        }
        #expect(refusal.code == .noLongerCurrent)
    }

    @Test("An activity that another one has displaced can no longer be fetched")
    mutating func displaced() throws {
        let notes = try create(Self.notes)
        let mail = try create(Self.mail)
        try origin.becomeCurrent(notes, by: ":1.1", at: .at(0))
        try show(mail, at: .at(1))
        #expect(try !isGiven(Self.notes, at: .at(1)))
    }

    @Test("The last activity that resigned can be fetched for ten seconds more")
    mutating func grace() throws {
        let notes = try create(Self.notes)
        try show(notes, at: .at(0))
        try origin.resignCurrent(notes, by: ":1.1", at: .at(1))
        #expect(try isGiven(Self.notes, at: .at(10.9)))
        #expect(try !isGiven(Self.notes, at: .at(11)))
    }

    @Test("An invalidated activity can no longer be fetched, even within the grace period after it resigned")
    mutating func invalidation() throws {
        let notes = try create(Self.notes)
        try show(notes, at: .at(0))
        try origin.resignCurrent(notes, by: ":1.1", at: .at(1))
        try origin.invalidate(notes, by: ":1.1", at: .at(2))
        #expect(try !isGiven(Self.notes, at: .at(2)))
    }

    @Test("An activity that became ineligible cannot be fetched in its grace period")
    mutating func ineligibleGrace() throws {
        let notes = try create(Self.notes)
        try origin.becomeCurrent(notes, by: ":1.1", at: .at(0))
        try origin.update(notes, by: ":1.1", at: .at(1)) { $0.isEligible = false }
        #expect(origin.current == nil)
        #expect(try !isGiven(Self.notes, at: .at(1)))
    }

    @Test("Only its owner can change an activity")
    mutating func ownership() throws {
        let notes = try create(Self.notes)
        var origin = origin
        for attempt: (inout Origin) throws -> Void in [
            { try $0.becomeCurrent(notes, by: ":1.2", at: .at(0)) },
            { try $0.resignCurrent(notes, by: ":1.2", at: .at(0)) },
            { try $0.invalidate(notes, by: ":1.2", at: .at(0)) },
            { try $0.update(notes, by: ":1.2", at: .at(0)) { $0.isEligible = false } },
        ] {
            let error = #expect(throws: HandoffError.self) { try attempt(&origin) }
            #expect(error?.code == .notOwner)
        }
    }

    @Test("An activity that does not exist is an error with its own code")
    mutating func absence() {
        var origin = origin
        let error = #expect(throws: HandoffError.self) { try origin.becomeCurrent(7, by: ":1.1", at: .at(0)) }
        #expect(error?.code == .noSuchActivity)
    }

    @Test("The exit of a program removes all its activities, and no others")
    mutating func departure() throws {
        let mine = try create(Self.notes)
        let other = try create(Self.mail, owner: ":1.2")
        try origin.becomeCurrent(other, by: ":1.2", at: .at(0))
        try origin.becomeCurrent(mine, by: ":1.1", at: .at(1))
        #expect(origin.remove(ownedBy: ":1.1", at: .at(2)).map(\.id) == [mine])
        #expect(origin.current?.id == other)
        #expect(origin.owners == [":1.2"])
        #expect(try !isGiven(Self.notes, at: .at(2)))
    }

    @Test("One program cannot fill the memory with activities")
    mutating func limit() throws {
        for _ in 0..<ActivityQuota<Client>.maximumPerOwner { _ = try create(Self.notes) }
        var origin = origin
        let error = #expect(throws: HandoffError.self) {
            try origin.create(activity(Self.notes), owner: ":1.1", isEligible: true)
        }
        #expect(error?.code == .limitReached)
        _ = try create(Self.notes, owner: ":1.2")
    }

    @Test("The advertisement follows: the activity with its web page, then a withdrawal, then nothing")
    mutating func air() throws {
        let page = try origin.create(
            activity(Self.notes, webpage: "https://example.org"),
            owner: ":1.1",
            isEligible: true
        )
        try origin.becomeCurrent(page.id, by: ":1.1", at: .at(0))
        let offered = OfferedActivity(id: page.id, typeHash: try hash(Self.notes))
        let content = AdvertisementPacer.Content.activity(offered, hasWebpage: true)
        #expect(origin.advance(to: .at(0)).broadcast?.content == content)
        _ = origin.remove(ownedBy: ":1.1", at: .at(1))
        #expect(origin.advance(to: .at(1)).broadcast?.content == .withdrawal)
        #expect(origin.advance(to: .at(10)).broadcast == nil)
    }
}
