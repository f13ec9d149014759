import HandoffCore
import HandoffModel
import HandoffWire
import Testing

@Suite("The origin offers its current activity")
struct OriginTests {
    var origin = Origin()

    private mutating func publish(
        _ name: String = "edit",
        by client: String = ":1.1",
        webpage: String? = nil,
        at now: Moment = .at(0)
    ) throws -> ActivityRegister.ID {
        let id = try origin.create(.sample(name, webpage: webpage), owner: client, isEligible: true).id
        try origin.becomeCurrent(id, by: client, at: now)
        return id
    }

    private mutating func contentOnAir(at now: Moment) -> AdvertisementPacer.Content? {
        origin.advance(to: now).broadcast?.content
    }

    private func answer(_ name: String = "edit", at now: Moment) throws -> Answer {
        origin.answer(to: try .sample(name), at: now)
    }

    @Test("the current activity is advertised by its hash and whether it has a web page")
    mutating func advertising() throws {
        let id = try publish(webpage: "https://example.org")
        let hash = try ActivityType("org.example.edit").hash
        #expect(contentOnAir(at: .at(0)) == .activity(hash, hasWebpage: true))
        let plain = try Activity.sample()
        try origin.update(id, by: ":1.1", at: .at(1)) { $0.activity = plain }
        #expect(contentOnAir(at: .at(1)) == .activity(hash, hasWebpage: false))
    }

    @Test("the current activity is given to whoever asks for its type, and no other is")
    mutating func answering() throws {
        let other = try origin.create(.sample("other"), owner: ":1.1", isEligible: true)
        _ = try publish()
        #expect(try answer(at: .at(1)).activity == .sample())
        #expect(try answer("other", at: .at(1)).refusalCode == .noLongerCurrent)
        #expect(origin.current?.id != other.id)
    }

    @Test("what is given is the state at the time of the question")
    mutating func newestState() throws {
        let id = try publish()
        let newer = try Activity.sample(userInfo: ["line": .integer(2)])
        try origin.update(id, by: ":1.1", at: .at(1)) { $0.activity = newer }
        #expect(try answer(at: .at(1)).activity == newer)
    }

    @Test("nothing was ever published: nothing is given")
    func nothing() throws {
        #expect(try answer(at: .at(0)).refusalCode == .noLongerCurrent)
    }

    @Test("an activity that resigned can be fetched for ten seconds more")
    mutating func grace() throws {
        let id = try publish()
        try origin.resignCurrent(id, by: ":1.1", at: .at(100))
        #expect(try answer(at: .at(109.999)).activity == .sample())
        #expect(try answer(at: .at(110)).refusalCode == .noLongerCurrent)
    }

    @Test("grace ends when the activity is invalidated, by its owner or with it")
    mutating func graceEndsWithTheActivity() throws {
        let first = try publish()
        try origin.resignCurrent(first, by: ":1.1", at: .at(100))
        try origin.invalidate(first, by: ":1.1", at: .at(101))
        #expect(try answer(at: .at(101)).refusalCode == .noLongerCurrent)

        let second = try publish(at: .at(200))
        try origin.resignCurrent(second, by: ":1.1", at: .at(201))
        _ = origin.remove(ownedBy: ":1.1", at: .at(202))
        #expect(try answer(at: .at(202)).refusalCode == .noLongerCurrent)
    }

    @Test("an invalidated activity has no grace")
    mutating func invalidation() throws {
        let id = try publish()
        try origin.invalidate(id, by: ":1.1", at: .at(1))
        #expect(try answer(at: .at(1)).refusalCode == .noLongerCurrent)
        #expect(contentOnAir(at: .at(2)) == .farewell)
    }

    @Test("an activity that is no longer eligible has no grace")
    mutating func ineligible() throws {
        let id = try publish()
        try origin.update(id, by: ":1.1", at: .at(1)) { $0.isEligible = false }
        #expect(try answer(at: .at(1)).refusalCode == .noLongerCurrent)
    }

    @Test("an activity that becomes ineligible during its grace is not given any more")
    mutating func ineligibleDuringGrace() throws {
        let id = try publish()
        try origin.resignCurrent(id, by: ":1.1", at: .at(1))
        try origin.update(id, by: ":1.1", at: .at(2)) { $0.isEligible = false }
        #expect(try answer(at: .at(2)).refusalCode == .noLongerCurrent)
    }

    @Test("what is given during grace is the newest state")
    mutating func newestStateDuringGrace() throws {
        let id = try publish()
        try origin.resignCurrent(id, by: ":1.1", at: .at(1))
        let newer = try Activity.sample(userInfo: ["line": .integer(2)])
        try origin.update(id, by: ":1.1", at: .at(2)) { $0.activity = newer }
        #expect(try answer(at: .at(2)).activity == newer)
    }

    @Test("an activity that took its place ends the grace of the one before")
    mutating func successor() throws {
        let id = try publish("first")
        try origin.resignCurrent(id, by: ":1.1", at: .at(1))
        _ = try publish("second", at: .at(2))
        #expect(try answer("first", at: .at(2)).refusalCode == .noLongerCurrent)
        #expect(try answer("second", at: .at(2)).activity == .sample("second"))
    }

    @Test("resigning uncovers the one below, which is advertised then")
    mutating func uncovering() throws {
        _ = try publish("below")
        let top = try publish("top")
        try origin.resignCurrent(top, by: ":1.1", at: .at(1))
        #expect(
            contentOnAir(at: .at(1)) == .activity(try ActivityType("org.example.below").hash, hasWebpage: false)
        )
    }

    @Test("only its owner changes an activity")
    mutating func ownership() throws {
        let id = try publish()
        let attempts: [(inout Origin) throws -> Void] = [
            { try $0.update(id, by: ":1.2", at: .at(1)) { $0.isEligible = false } },
            { try $0.becomeCurrent(id, by: ":1.2", at: .at(1)) },
            { try $0.resignCurrent(id, by: ":1.2", at: .at(1)) },
            { try $0.invalidate(id, by: ":1.2", at: .at(1)) },
        ]
        for attempt in attempts {
            #expect { try attempt(&origin) } throws: { ($0 as? HandoffError)?.code == .notOwner }
        }
        #expect(origin.current?.id == id)
        #expect(origin.current?.isEligible == true)
    }

    @Test("what does not exist any more says so")
    mutating func unknown() throws {
        let id = try publish()
        try origin.invalidate(id, by: ":1.1", at: .at(1))
        #expect { try origin.becomeCurrent(id, by: ":1.1", at: .at(2)) } throws: { error in
            (error as? HandoffError)?.code == .noSuchActivity
        }
    }

    @Test("a client that leaves is followed by a farewell")
    mutating func leaving() throws {
        _ = try publish()
        _ = contentOnAir(at: .at(0))
        #expect(origin.remove(ownedBy: ":1.1", at: .at(1)).count == 1)
        #expect(contentOnAir(at: .at(1)) == .farewell)
        #expect(origin.owners.isEmpty)
    }
}
