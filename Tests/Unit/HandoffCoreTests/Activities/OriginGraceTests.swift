import HandoffCore
import HandoffModel
import HandoffWire
import TestLimits
import Testing

@Suite("The origin sends the newest state, and no activity that has ended", .endsWithin(minutes: 10))
struct OriginGraceTests {
    var origin = Origin()

    private mutating func publish(
        _ name: String = "edit",
        by client: Client = ":1.1",
        webpage: String? = nil,
        at now: Moment = .at(0)
    ) throws -> ActivityRegister.ID {
        let id = try origin.create(.sample(name, webpage: webpage), owner: client, isEligible: true).id
        try origin.becomeCurrent(id, by: client, at: now)
        _ = origin.advance(to: now)
        return id
    }

    private mutating func answer(_ name: String = "edit", at now: Moment) throws -> Answer {
        try origin.answer(anyNumberOf: "org.example.\(name)", at: now)
    }

    @Test("The answer has the state at the time of the request")
    mutating func newestState() throws {
        let id = try publish()
        let newer = try Activity.sample(userInfo: ["line": .integer(2)])
        try origin.update(id, by: ":1.1", at: .at(1)) { $0.activity = newer }
        #expect(try answer(at: .at(1)).activity == newer)
    }

    @Test("The grace period ends when the activity is invalidated, by its owner or with it")
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

    @Test("An activity that becomes ineligible during its grace period can no longer be fetched")
    mutating func ineligibleDuringGrace() throws {
        let id = try publish()
        try origin.resignCurrent(id, by: ":1.1", at: .at(1))
        try origin.update(id, by: ":1.1", at: .at(2)) { $0.isEligible = false }
        #expect(try answer(at: .at(2)).refusalCode == .noLongerCurrent)
    }

    @Test("The answer during the grace period has the newest state")
    mutating func newestStateDuringGrace() throws {
        let id = try publish()
        try origin.resignCurrent(id, by: ":1.1", at: .at(1))
        let newer = try Activity.sample(userInfo: ["line": .integer(2)])
        try origin.update(id, by: ":1.1", at: .at(2)) { $0.activity = newer }
        #expect(try answer(at: .at(2)).activity == newer)
    }

    @Test("A new current activity ends the grace period of the one before")
    mutating func successor() throws {
        let id = try publish("first")
        try origin.resignCurrent(id, by: ":1.1", at: .at(1))
        _ = try publish("second", at: .at(2))
        #expect(try answer("first", at: .at(2)).refusalCode == .noLongerCurrent)
        #expect(try answer("second", at: .at(2)).activity == .sample("second"))
    }
}
