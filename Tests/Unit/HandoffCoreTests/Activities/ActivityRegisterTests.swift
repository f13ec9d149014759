import HandoffCore
import HandoffModel
import HandoffWire
import Testing
import TestLimits

@Suite("The register determines the current activity", .endsWithin(minutes: 10))
struct ActivityRegisterTests {
    var register = ActivityRegister()

    private mutating func insert(
        _ name: String = "edit",
        owner: Client = ":1.1",
        isEligible: Bool = true
    ) throws -> ActivityRegister.ID {
        try register.insert(.sample(name), owner: owner, isEligible: isEligible).id
    }

    @Test("An activity that never asked to be current is not current")
    mutating func creation() throws {
        let id = try insert()
        #expect(register.current == nil)
        #expect(register[id]?.owner == ":1.1")
    }

    @Test("The newest activity that asked is current, and the earlier ones follow one by one")
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

    @Test("Asking again moves an activity to the top, and it counts once")
    mutating func askingAgain() throws {
        let (one, two) = (try insert("a"), try insert("b"))
        for id in [one, two, one, one] { register.becomeCurrent(id) }
        #expect(register.current?.id == one)
        register.resignCurrent(one)
        #expect(register.current?.id == two)
    }

    @Test("An activity that is not eligible is skipped, and is current again when it is eligible")
    mutating func eligibility() throws {
        let (one, two) = (try insert("a"), try insert("b"))
        register.becomeCurrent(one)
        register.becomeCurrent(two)
        try register.update(two) { $0.isEligible = false }
        #expect(register.current?.id == one)
        try register.update(two) { $0.isEligible = true }
        #expect(register.current?.id == two)
    }

    @Test("An activity that was never eligible can ask, and is current once it is eligible")
    mutating func lateEligibility() throws {
        let id = try insert(isEligible: false)
        register.becomeCurrent(id)
        #expect(register.current == nil)
        try register.update(id) { $0.isEligible = true }
        #expect(register.current?.id == id)
    }

    @Test("Requests for an unknown or invalidated activity change nothing")
    mutating func unknown() throws {
        let id = try insert()
        #expect(register.invalidate(id)?.id == id)
        #expect(register.invalidate(id) == nil)
        register.becomeCurrent(id)
        register.resignCurrent(id)
        try register.update(id) { $0.isEligible = false }
        #expect(register.current == nil)
        #expect(register[id] == nil)
    }

    @Test("Ids are never used twice")
    mutating func ids() throws {
        let first = try insert()
        register.invalidate(first)
        #expect(try insert() > first)
    }

    @Test("The exit of a client removes all its activities, and no others")
    mutating func leaving() throws {
        let mine = [try insert("a", owner: ":1.1"), try insert("b", owner: ":1.1")]
        let other = try insert("c", owner: ":1.2")
        for id in [mine[0], other, mine[1]] { register.becomeCurrent(id) }
        #expect(register.removeAll(ownedBy: ":1.1").map(\.id) == mine)
        #expect(register.current?.id == other)
        #expect(register.owners == [":1.2"])
    }

    @Test("The app with the focus is current; one that has lost it is not offered in its place")
    mutating func focus() throws {
        let (editor, notes) = (try insert("a", owner: ":1.1"), try insert("b", owner: ":1.2"))
        for id in [editor, notes] { register.becomeCurrent(id) }
        register.setFocus([":1.1"])
        #expect(register.current?.id == editor)
        register.setFocus([":1.2"])
        #expect(register.current?.id == notes)
        register.resignCurrent(notes)
        #expect(register.current == nil, "the editor has lost the focus")
        #expect(register.withoutFocus?.id == editor)
        register.becomeCurrent(editor)
        #expect(register.current == nil, "an app without the focus cannot take it")
        register.setFocus([])
        register.becomeCurrent(notes)
        #expect(register.current == nil, "an app without activities has the focus")
        register.setFocus(nil)
        #expect(register.withoutFocus == nil)
        #expect(register.current?.id == notes, "it is unknown who has the focus: as the apps have asked")
    }

    @Test("An activity whose app never had the focus is offered as before; the one with the focus comes first")
    mutating func withoutWindow() throws {
        let (script, editor) = (try insert("a", owner: ":1.1"), try insert("b", owner: ":1.2"))
        register.becomeCurrent(editor)
        register.becomeCurrent(script)
        register.setFocus([":1.2"])
        #expect(register.current?.id == editor)
        register.setFocus([])
        #expect(register.current?.id == script)
        register.setFocus([":1.2"])
        register.becomeCurrent(script)
        #expect(register.current?.id == script, "what asks later is current")
        register.setFocus([":1.2", ":1.3"])
        #expect(register.current?.id == script, "the editor has the focus still, and does not get it again")
    }

    @Test("Several activities of the app with the focus keep their order, and a client that leaves is forgotten")
    mutating func focusedStack() throws {
        let ids = [try insert("a", owner: ":1.1"), try insert("b", owner: ":1.1"), try insert("c", owner: ":1.2")]
        for id in ids { register.becomeCurrent(id) }
        register.setFocus([":1.1"])
        #expect(register.current?.id == ids[1])
        register.resignCurrent(ids[1])
        #expect(register.current?.id == ids[0])
        register.setFocus([":1.2"])
        _ = register.removeAll(ownedBy: ":1.1")
        let next = try insert("d", owner: ":1.1")
        register.becomeCurrent(next)
        #expect(register.current?.id == next)
    }

    @Test("A client that had the focus and cannot get it again is offered as one that never had it")
    mutating func forgotten() throws {
        let (script, editor) = (try insert("a", owner: ":1.1"), try insert("b", owner: ":1.2"))
        register.becomeCurrent(script)
        register.becomeCurrent(editor)
        register.setFocus([":1.1"])
        register.setFocus([])
        #expect(register.current?.id == editor)
        register.setFocus([":1.2"], forgetting: [":1.1"])
        register.setFocus([])
        #expect(register.current?.id == script)
    }

    @Test("Of the focus, nothing is kept of a client that has left, and what it had of one without activities")
    mutating func followed() throws {
        let id = try insert("a", owner: ":1.1")
        register.setFocus([":1.1", ":1.2"])
        #expect(register.followed == [":1.1"], "the other one has left while somebody asked who has the focus")
        register.setFocus([])
        register.invalidate(id)
        #expect(register.owners.isEmpty && register.followed == [":1.1"])
        let next = try insert("b", owner: ":1.1")
        register.becomeCurrent(next)
        register.setFocus([])
        #expect(register.current == nil)
        _ = register.removeAll(ownedBy: ":1.1")
        #expect(register.followed.isEmpty)
    }

    @Test("One client can neither fill the memory nor use up the limit of another")
    mutating func limit() throws {
        for _ in 0..<ActivityQuota<Client>.maximumPerOwner { _ = try insert(owner: ":1.1") }
        #expect { try register.insert(.sample(), owner: ":1.1", isEligible: true) } throws: { error in
            (error as? HandoffError)?.code == .limitReached
        }
        _ = try insert(owner: ":1.2")
        _ = register.removeAll(ownedBy: ":1.1")
        _ = try insert(owner: ":1.1")
    }

    /// An activity that has about so many bytes when it is encoded.
    private static func large(_ bytes: Int) throws -> Activity {
        try Activity.sample().with { $0.userInfo = ["a": .data([UInt8](repeating: 7, count: bytes))] }
    }

    private func refusal(_ body: () throws -> Void) -> String? {
        do {
            try body()
            return nil
        } catch {
            return (error as? HandoffError).flatMap { $0.code == .limitReached ? $0.message : nil }
        }
    }

    @Test("Large activities of one client count by their bytes, which it gets back when they end or become smaller")
    func bytes() throws {
        var register = ActivityRegister()
        let (large, other) = (try Self.large(60_000), try Activity.sample())
        let count = ActivityQuota<Client>.maximumBytesPerOwner / large.encodedSize
        var ids: [ActivityRegister.ID] = []
        for _ in 0..<count { ids.append(try register.insert(large, owner: ":1.1", isEligible: true).id) }
        let another = refusal { _ = try register.insert(large, owner: ":1.1", isEligible: true) }
        #expect(another?.contains("1024 KiB") == true)
        #expect(refusal { _ = try register.insert(large, owner: ":1.2", isEligible: true) } == nil)
        // One that exists may not grow either, but change otherwise.
        let small = try register.insert(.sample(), owner: ":1.1", isEligible: true).id
        #expect(refusal { try register.update(small) { $0.activity = large } }?.contains("1024 KiB") == true)
        #expect(register[small]?.activity == other)
        #expect(refusal { try register.update(ids[0]) { $0.isEligible = false } } == nil)
        try register.update(ids[0]) { $0.activity = other }
        #expect(refusal { try register.update(small) { $0.activity = large } } == nil)
        register.invalidate(ids[1])
        #expect(refusal { _ = try register.insert(large, owner: ":1.1", isEligible: true) } == nil)
    }

    @Test(
        "Small values count more than they take over the radio: a message with all activities may have 2^20 values",
        arguments: [(UserInfoValue.boolean(true), 2), (.null, 5), (.set([.null]), 11), (.dictionary(["a": .null]), 9)]
    )
    func values(_ value: UserInfoValue, _ each: Int) throws {
        #expect(value.busValueCount == each)
        #expect(try UserInfoValue.date(Timestamp(seconds: 0)).busValueCount == 7)
        var register = ActivityRegister()
        let small = try Activity.sample().with {
            $0.userInfo = ["a": .array([UserInfoValue](repeating: value, count: 4000))]
        }
        var count = 0
        for client in 1...8 {
            let owner = Client(stringLiteral: ":1.\(client)")
            while refusal({ _ = try register.insert(small, owner: owner, isEligible: true) }) == nil { count += 1 }
        }
        #expect(count > 10)
        #expect(count * 4000 * each <= 1 << 19)
    }

    @Test("All clients together have a limit of bytes and of activities, and what one leaves the others can use")
    func together() throws {
        var register = ActivityRegister()
        let large = try Self.large(60_000)
        let each = ActivityQuota<Client>.maximumBytesPerOwner / large.encodedSize
        let most = ActivityQuota<Client>.maximumBytes / large.encodedSize
        for number in 0..<most {
            _ = try register.insert(large, owner: Client(stringLiteral: "c\(number / each)"), isEligible: true)
        }
        let another = refusal { _ = try register.insert(large, owner: "new", isEligible: true) }
        #expect(another?.contains("4096 KiB") == true)
        _ = register.removeAll(ownedBy: "c0")
        #expect(refusal { _ = try register.insert(large, owner: "new", isEligible: true) } == nil)

        var full = ActivityRegister()
        for number in 0..<ActivityQuota<Client>.maximumCount {
            _ = try full.insert(.sample(), owner: Client(stringLiteral: "c\(number / 200)"), isEligible: true)
        }
        #expect(refusal { _ = try full.insert(.sample(), owner: "new", isEligible: true) }?.contains("2048") == true)
        full.invalidate(1)
        #expect(refusal { _ = try full.insert(.sample(), owner: "new", isEligible: true) } == nil)
    }
}
