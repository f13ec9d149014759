import HandoffCore
import HandoffModel
import HandoffWire
import TestLimits
import Testing

@Suite("An advertisement stands for one activity", .endsWithin(minutes: 10))
struct ActivityTagTests {
    private static let client: Client = ":1.1"
    private var origin = Origin(firstTag: 0xFE)

    private mutating func create(_ name: String = "edit", line: Int64 = 0) throws -> ActivityID {
        try origin.create(.sample(name, userInfo: ["line": .integer(line)]), owner: Self.client, isEligible: true).id
    }

    /// Makes the activity current, and returns what is advertised then.
    private mutating func advertised(_ id: ActivityID, at seconds: Double) throws -> AdvertisedActivity? {
        try origin.becomeCurrent(id, by: Self.client, at: .at(seconds))
        guard case .activity(let activity, _, _) = origin.advance(to: .at(seconds)).broadcast?.content else {
            return nil
        }
        return activity
    }

    @Test("Each of 128 activities of one type has a tag of its own, and the first one has that of the run")
    mutating func tags() throws {
        var tags: [UInt8] = []
        for number in 0..<128 {
            let id = try create()
            try origin.becomeCurrent(id, by: Self.client, at: .at(0))
            tags.append(try #require(origin.current?.tag).rawValue)
            if number.isMultiple(of: 2) { try origin.invalidate(id, by: Self.client, at: .at(0)) }
        }
        #expect(tags.first == 0x7E)
        #expect(Set(tags).count == 128)
    }

    @Test("An activity keeps its tag when its app changes it, when it resigns, and when it is current again")
    mutating func kept() throws {
        let (first, second) = (try create(), try create())
        let tag = try #require(try advertised(first, at: 0)).tag
        try origin.update(first, by: Self.client, at: .at(10)) { record in
            record.isEligible = true
            if let newer = try? Activity.sample(webpage: "https://example.org") { record.activity = newer }
        }
        #expect(origin.current?.tag == tag)
        #expect(try advertised(second, at: 20)?.tag == tag.next)
        try origin.resignCurrent(first, by: Self.client, at: .at(30))
        #expect(try advertised(first, at: 40)?.tag == tag)
    }

    @Test("A fetch names the activity: another one of the same type is not given in its place")
    mutating func fetch() throws {
        let (first, second) = (try create(line: 1), try create(line: 2))
        let old = try #require(try advertised(first, at: 0))
        let request = FetchRequest(typeHash: old.typeHash, tag: old.tag)
        #expect(origin.answer(to: request, at: .at(1)).activity?.userInfo["line"] == .integer(1))
        let new = try #require(try advertised(second, at: 10))
        #expect(new.typeHash == old.typeHash)
        #expect(origin.answer(to: request, at: .at(11)).refusalCode == .noLongerCurrent)
        #expect(origin.prepare(for: request, at: .at(11)) == .ready, "the app of the other one is not asked to save")
        let later = FetchRequest(typeHash: new.typeHash, tag: new.tag)
        #expect(origin.answer(to: later, at: .at(11)).activity?.userInfo["line"] == .integer(2))

        try origin.resignCurrent(second, by: Self.client, at: .at(20))
        try origin.resignCurrent(first, by: Self.client, at: .at(20))
        #expect(origin.answer(to: later, at: .at(21)).refusalCode == .noLongerCurrent, "the first one was current last")
        #expect(origin.answer(to: request, at: .at(21)).activity != nil)
    }

    @Test("An activity that is about another document is another entry, and a fetch of the first gets neither")
    mutating func anotherDocument() throws {
        let id = try create()
        try origin.becomeCurrent(id, by: Self.client, at: .at(0))
        let tag = try #require(origin.current?.tag)
        try open("file:///docs/a.txt", in: id)
        #expect(origin.current?.tag == tag, "it had no document before")
        let request = try FetchRequest.sample(tag: tag.rawValue)
        try open(nil, in: id)
        try open("file:///docs/a.txt", in: id)
        #expect(origin.current?.tag == tag, "it is the same document again")
        try open("file:///docs/b.txt", in: id)
        #expect(origin.current?.tag == tag.next)
        #expect(origin.answer(to: request, at: .at(2)).refusalCode == .noLongerCurrent)
        let later = try FetchRequest.sample(tag: tag.next.rawValue)
        #expect(origin.answer(to: later, at: .at(2)).activity?.documentURL == "file:///docs/b.txt")
    }

    @Test("A fetch that waited for an activity to be saved gets no other one, not even one with the same tag")
    mutating func sameTag() throws {
        let first = try create(line: 1)
        try origin.becomeCurrent(first, by: Self.client, at: .at(0))
        let request = try FetchRequest.sample(tag: try #require(origin.current?.tag).rawValue)
        for line in 2...129 {
            let id = try create(line: Int64(line))
            try origin.becomeCurrent(id, by: Self.client, at: .at(1))
            if line < 129 { try origin.invalidate(id, by: Self.client, at: .at(1)) }
        }
        #expect(origin.current?.tag == request.tag)
        #expect(origin.answer(to: request, at: .at(2)).activity?.userInfo["line"] == .integer(129))
        #expect(origin.answer(to: request, after: first, at: .at(2)).refusalCode == .noLongerCurrent)
        #expect(origin.record(for: request, after: first, at: .at(2)) == nil)
    }

    private mutating func open(_ document: String?, in id: ActivityID) throws {
        let userInfo = document.map { [Activity.documentURLKey: UserInfoValue.url($0)] } ?? [:]
        let activity = try Activity.sample(userInfo: userInfo)
        try origin.update(id, by: Self.client, at: .at(1)) { $0.activity = activity }
    }
}
