import HandoffCore
import HandoffModel
import Testing
import TestLimits

@Suite("The register knows which activity is current", .endsWithin(minutes: 10))
struct ActivityRegisterTests {
    var register = ActivityRegister()

    private mutating func insert(
        _ name: String = "edit",
        owner: Client = ":1.1",
        isEligible: Bool = true
    ) throws -> ActivityRegister.ID {
        try register.insert(.sample(name), owner: owner, isEligible: isEligible).id
    }

    @Test("an activity that never asked is not current")
    mutating func creation() throws {
        let id = try insert()
        #expect(register.current == nil)
        #expect(register[id]?.owner == ":1.1")
    }

    @Test("the newest that asked is current, and those below come back one by one")
    mutating func stack() throws {
        let ids = [try insert("a"), try insert("b"), try insert("c")]
        for id in ids { register.becomeCurrent(id) }
        #expect(register.current?.id == ids[2])
        register.resignCurrent(ids[2])
        #expect(register.current?.id == ids[1])
        register.invalidate(ids[1])
        #expect(register.current?.id == ids[0])
        register.resignCurrent(ids[0])
        #expect(register.current == nil)
    }

    @Test("asking again moves to the top, and counts once")
    mutating func askingAgain() throws {
        let (one, two) = (try insert("a"), try insert("b"))
        for id in [one, two, one, one] { register.becomeCurrent(id) }
        #expect(register.current?.id == one)
        register.resignCurrent(one)
        #expect(register.current?.id == two)
    }

    @Test("one that is not eligible is passed over, and comes back when it is")
    mutating func eligibility() throws {
        let (one, two) = (try insert("a"), try insert("b"))
        register.becomeCurrent(one)
        register.becomeCurrent(two)
        register.update(two) { $0.isEligible = false }
        #expect(register.current?.id == one)
        register.update(two) { $0.isEligible = true }
        #expect(register.current?.id == two)
    }

    @Test("one that was never eligible can ask, and is current once it is eligible")
    mutating func lateEligibility() throws {
        let id = try insert(isEligible: false)
        register.becomeCurrent(id)
        #expect(register.current == nil)
        register.update(id) { $0.isEligible = true }
        #expect(register.current?.id == id)
    }

    @Test("what is unknown or invalidated changes nothing")
    mutating func unknown() throws {
        let id = try insert()
        #expect(register.invalidate(id)?.id == id)
        #expect(register.invalidate(id) == nil)
        register.becomeCurrent(id)
        register.resignCurrent(id)
        register.update(id) { $0.isEligible = false }
        #expect(register.current == nil)
        #expect(register[id] == nil)
    }

    @Test("ids are never used twice")
    mutating func ids() throws {
        let first = try insert()
        register.invalidate(first)
        #expect(try insert() > first)
    }

    @Test("a client that leaves takes all its activities with it, and no others")
    mutating func leaving() throws {
        let mine = [try insert("a", owner: ":1.1"), try insert("b", owner: ":1.1")]
        let other = try insert("c", owner: ":1.2")
        for id in [mine[0], other, mine[1]] { register.becomeCurrent(id) }
        #expect(register.removeAll(ownedBy: ":1.1").map(\.id) == mine)
        #expect(register.current?.id == other)
        #expect(register.owners == [":1.2"])
    }

    @Test("one client cannot fill the memory, nor keep others from theirs")
    mutating func limit() throws {
        for _ in 0..<ActivityRegister.maximumPerOwner { _ = try insert(owner: ":1.1") }
        #expect { try register.insert(.sample(), owner: ":1.1", isEligible: true) } throws: { error in
            (error as? HandoffError)?.code == .limitReached
        }
        _ = try insert(owner: ":1.2")
        _ = register.removeAll(ownedBy: ":1.1")
        _ = try insert(owner: ":1.1")
    }
}
