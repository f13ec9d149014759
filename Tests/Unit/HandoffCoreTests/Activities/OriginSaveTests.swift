import HandoffCore
import HandoffModel
import HandoffWire
import TestLimits
import Testing

@Suite("The origin requests an app's newest state just before it is needed", .endsWithin(minutes: 10))
struct OriginSaveTests {
    var origin = Origin()

    /// An activity that is current, needs to be saved, and whose app can be asked.
    private mutating func dirty(_ name: String = "edit", delegate: String? = "/app") throws -> ActivityRegister.ID {
        let id = try origin.create(.sample(name), owner: ":1.1", isEligible: true).id
        try origin.update(id, by: ":1.1", at: .at(0)) {
            $0.needsSave = true
            $0.delegate = delegate
        }
        try origin.becomeCurrent(id, by: ":1.1", at: .at(0))
        _ = origin.advance(to: .at(0))
        return id
    }

    private mutating func prepare(
        _ number: AdvertisementNumber = .first,
        at now: Moment
    ) throws -> Origin.Preparation {
        origin.prepare(for: try .sample(number), at: now)
    }

    private mutating func asked(at now: Moment = .at(1)) throws -> SaveRequests.Request {
        guard case .saving(_, asking: let saveRequest?) = try prepare(at: now) else { throw NotAsked() }
        return saveRequest
    }

    private struct NotAsked: Error {}

    private func needsSave(_ id: ActivityRegister.ID) throws -> Bool { try origin.activity(id).needsSave }

    @Test("An activity that needs no save, or whose app cannot be asked, is sent as it is")
    mutating func nothingToSave() throws {
        let id = try dirty(delegate: nil)
        #expect(try prepare(at: .at(1)) == .ready)
        #expect(try needsSave(id), "no app has saved")
        try origin.update(id, by: ":1.1", at: .at(1)) { $0.delegate = "/app" }
        try origin.setNeedsSave(false, of: id, by: ":1.1")
        #expect(try prepare(at: .at(2)) == .ready)
    }

    @Test("A fetch of another activity requests no save")
    mutating func another() throws {
        let id = try dirty()
        #expect(try prepare(.at(3), at: .at(1)) == .ready)
        #expect(try needsSave(id))
    }

    @Test("Any number of changes causes one save for any number of devices, and no save is needed afterwards")
    mutating func once() throws {
        let id = try dirty()
        for _ in 0..<1000 { try origin.setNeedsSave(true, of: id, by: ":1.1") }
        let saveRequest = try asked()
        #expect(try !needsSave(id))
        for _ in 0..<5 { #expect(try prepare(at: .at(1.5)) == .saving(id, asking: nil)) }
        #expect(origin.isSaving(id))
        #expect(origin.saveEnded(saveRequest, .saved) == true)
        #expect(!origin.isSaving(id))
        #expect(try !needsSave(id))
        #expect(try prepare(at: .at(2)) == .ready)
    }

    @Test("A change after the save request is saved with the next fetch")
    mutating func changedMeanwhile() throws {
        let id = try dirty()
        let saveRequest = try asked()
        try origin.setNeedsSave(true, of: id, by: ":1.1")
        #expect(origin.saveEnded(saveRequest, .saved) == true)
        #expect(try needsSave(id))
        _ = try asked(at: .at(2))
    }

    @Test(
        "An app that hangs delays only the fetches before its deadline, and is asked again once it has answered"
    )
    mutating func hanging() throws {
        let id = try dirty()
        let saveRequest = try asked()
        #expect(origin.advance(to: .at(1)).next == Moment.at(1).uptime + SaveRequests.timeout)
        #expect(origin.expireSaves(at: .at(4)) == [id])
        #expect(!origin.isSaving(id))
        try origin.setNeedsSave(true, of: id, by: ":1.1")
        #expect(try prepare(at: .at(5)) == .ready)
        #expect(try origin.answer(to: .sample(), at: .at(5)).activity != nil)
        #expect(origin.saveEnded(saveRequest, .saved) == true)
        _ = try asked(at: .at(6))
    }

    @Test("An app that failed to save still has newer state", arguments: [SaveRequests.Outcome.failed, .timedOut])
    mutating func failed(_ outcome: SaveRequests.Outcome) throws {
        let id = try dirty()
        let saveRequest = try asked()
        #expect(origin.saveEnded(saveRequest, outcome) == true)
        #expect(try needsSave(id))
        #expect(origin.saveEnded(saveRequest, .saved) == false, "the save request was over")
    }

    @Test("The end of an activity ends the wait for its app", arguments: [true, false])
    mutating func ended(_ byLeaving: Bool) throws {
        let id = try dirty()
        let saveRequest = try asked()
        let before = origin.saveCompletions
        if byLeaving {
            _ = origin.remove(ownedBy: ":1.1", at: .at(2))
        } else {
            try origin.invalidate(id, by: ":1.1", at: .at(2))
        }
        #expect(!origin.isSaving(id))
        #expect(origin.saveCompletions == before + 1)
        #expect(origin.saveEnded(saveRequest, .saved) == false)
        #expect(try origin.answer(to: .sample(), at: .at(2)).refusalCode == .noLongerCurrent)
    }

    @Test("Only the owner can declare whether it has newer state")
    mutating func owner() throws {
        let id = try dirty()
        let error = #expect(throws: HandoffError.self) { try origin.setNeedsSave(false, of: id, by: ":1.2") }
        #expect(error?.code == .notOwner)
        #expect(try needsSave(id))
    }

    @Test("Only the required keys of the state leave this device")
    mutating func requiredKeys() throws {
        let id = try dirty()
        let whole = try Activity(
            type: ActivityType("org.example.edit"),
            userInfo: ["line": .integer(1), "cache": .string(String(repeating: "x", count: 500))],
            requiredUserInfoKeys: ["line"]
        )
        try origin.update(id, by: ":1.1", at: .at(1)) { $0.activity = whole }
        let given = try #require(try origin.answer(to: .sample(), at: .at(2)).activity)
        #expect(given.userInfo == ["line": .integer(1)])
        #expect(try origin.activity(id).activity == whole)
        #expect(try origin.activity(id).encodedSize == given.encodedSize)
    }
}
