import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffWire
import TestLimits
import Testing

@Suite("An advertised number stands for one activity", .endsWithin(minutes: 10))
struct OfferedActivityTests {
    private static let client: Client = ":1.1"
    private var origin = Origin()

    private mutating func create(_ name: String = "edit", line: Int64 = 0) throws -> ActivityID {
        try origin.create(.sample(name, userInfo: ["line": .integer(line)]), owner: Self.client, isEligible: true).id
    }

    /// Makes the activity current, and returns the number with which it is advertised then.
    private mutating func advertise(_ id: ActivityID, at seconds: Double) throws -> AdvertisementNumber {
        try origin.becomeCurrent(id, by: Self.client, at: .at(seconds))
        let number = origin.number(at: .at(seconds))
        return try #require(number)
    }

    private mutating func answer(to number: AdvertisementNumber, at seconds: Double) -> Answer {
        origin.answer(to: FetchRequest(number: number), at: .at(seconds))
    }

    @Test("An activity that is current again has a greater number, and is given for each that it has had")
    mutating func again() throws {
        let (first, second) = (try create(line: 1), try create(line: 2))
        let numbers = [
            try advertise(first, at: 0), try advertise(second, at: 10), try advertise(first, at: 20),
        ]
        #expect(numbers == numbers.sorted())
        #expect(Set(numbers).count == 3)
        #expect(answer(to: numbers[0], at: 21).activity?.userInfo["line"] == .integer(1))
        #expect(answer(to: numbers[2], at: 21).activity?.userInfo["line"] == .integer(1))
        #expect(answer(to: numbers[1], at: 21).refusalCode == .noLongerCurrent)
    }

    @Test("An activity keeps its number when its app changes it, and while it does not leave the air")
    mutating func kept() throws {
        let (first, second) = (try create(), try create())
        let number = try advertise(first, at: 0)
        let newer = try Activity.sample(webpage: "https://example.org")
        try origin.update(first, by: Self.client, at: .at(10)) { $0.activity = newer }
        #expect(origin.number(at: .at(10)) == number)
        try origin.becomeCurrent(second, by: Self.client, at: .at(10.1))
        try origin.becomeCurrent(first, by: Self.client, at: .at(10.2))
        #expect(origin.number(at: .at(12)) == number, "the other one has not been on the air")
    }

    @Test("A request names the activity: another one of the same type is not given in its place")
    mutating func fetch() throws {
        let (first, second) = (try create(line: 1), try create(line: 2))
        let old = try advertise(first, at: 0)
        #expect(answer(to: old, at: 1).activity?.userInfo["line"] == .integer(1))
        let new = try advertise(second, at: 10)
        #expect(answer(to: old, at: 11).refusalCode == .noLongerCurrent)
        let request = try FetchRequest(number: old, purpose: .take(.sample(1)))
        #expect(origin.prepare(for: request, at: .at(11)) == .ready, "the app of the other one is not asked to save")
        #expect(answer(to: new, at: 11).activity?.userInfo["line"] == .integer(2))

        try origin.resignCurrent(second, by: Self.client, at: .at(20))
        try origin.resignCurrent(first, by: Self.client, at: .at(20))
        #expect(answer(to: new, at: 21).refusalCode == .noLongerCurrent, "the first one was current last")
        #expect(answer(to: old, at: 21).activity != nil)
    }

    @Test("The refusal says what is current, under the number with which that is advertised")
    mutating func current() throws {
        let (first, second) = (try create("edit"), try create("draw"))
        let old = try advertise(first, at: 0)
        let new = try advertise(second, at: 10)
        let current = try #require(answer(to: old, at: 11).refusal?.current)
        #expect(current.activity == AdvertisedActivity(typeHash: try hash("org.example.draw"), number: new))
        #expect(answer(to: current.activity.number, at: 11).activity?.type.rawValue == "org.example.draw")

        try origin.resignCurrent(second, by: Self.client, at: .at(20))
        try origin.resignCurrent(first, by: Self.client, at: .at(20))
        _ = origin.number(at: .at(40))
        #expect(answer(to: old, at: 40).refusal?.current == nil, "nothing is current")
    }

    @Test("What waits for its turn on the air can be requested, under the number that it is advertised with later")
    mutating func early() throws {
        let (first, second) = (try create("edit"), try create("draw"))
        _ = try advertise(second, at: 0)
        let old = try advertise(first, at: 60)
        try origin.becomeCurrent(second, by: Self.client, at: .at(60.1))
        #expect(origin.number(at: .at(60.1)) == old, "a change waits for half a second")
        let told = try #require(answer(to: old, at: 60.2).refusal?.current?.activity.number)
        #expect(answer(to: told, at: 60.3).activity?.type.rawValue == "org.example.draw")
        #expect(answer(to: old, at: 60.4).refusal?.current?.activity.number == told, "it is told the same number again")
        #expect(origin.number(at: .at(60.6)) == told)
    }

    @Test("Callers cannot use up the numbers of a slot")
    mutating func told() throws {
        let first = try create("edit")
        let old = try advertise(first, at: 0)
        var greatest = old.index
        for step in 0..<2000 {
            let id = try create("draw")
            try origin.becomeCurrent(id, by: Self.client, at: .at(0.001 * Double(step)))
            let current = answer(to: old, at: 0.001 * Double(step)).refusal?.current
            greatest = max(greatest, current?.activity.number.index ?? 0)
            try origin.invalidate(id, by: Self.client, at: .at(0.001 * Double(step)))
        }
        #expect(greatest == old.index + 16)
    }

    @Test("An activity that is about another document is another entry, and a fetch of the first gets neither")
    mutating func anotherDocument() throws {
        let id = try create()
        let number = try advertise(id, at: 0)
        try open("file:///docs/a.txt", in: id, at: 10)
        #expect(origin.number(at: .at(10)) == number, "it had no document before")
        try open(nil, in: id, at: 20)
        try open("file:///docs/a.txt", in: id, at: 30)
        #expect(origin.number(at: .at(30)) == number, "it is the same document again")
        try open("file:///docs/b.txt", in: id, at: 40)
        let another = origin.number(at: .at(40))
        let later = try #require(another)
        #expect(later > number)
        #expect(answer(to: number, at: 41).refusalCode == .noLongerCurrent)
        #expect(answer(to: later, at: 41).activity?.documentURL == "file:///docs/b.txt")
    }

    @Test("A fetch that waited for an activity to be saved gets no other one")
    mutating func saved() throws {
        let first = try create(line: 1)
        let number = try advertise(first, at: 0)
        let other = try create(line: 2)
        #expect(origin.answer(to: FetchRequest(number: number), after: first, at: .at(1)).activity != nil)
        #expect(
            origin.answer(to: FetchRequest(number: number), after: other, at: .at(1)).refusalCode == .noLongerCurrent
        )
        #expect(origin.record(for: FetchRequest(number: number), after: other, at: .at(1)) == nil)
    }

    @Test("A type of a team, also of that of its app, has another hash; a web page belongs to no team")
    mutating func teams() throws {
        let id = try create("edit")
        _ = try advertise(id, at: 0)
        let plain = origin.advance(to: .at(0)).broadcast?.content.activity?.typeHash
        #expect(plain == (try hash("org.example.edit")))
        try origin.update(id, by: Self.client, at: .at(10)) { $0.application = "org.example.Editor" }
        origin.setTeams(["org.example.Editor": "T1"], at: .at(10))
        let ofTeam = origin.advance(to: .at(10)).broadcast?.content.activity?.typeHash
        #expect(ofTeam == ActivityKind(try ActivityType("org.example.edit"), team: "T1").hash)
        #expect(ofTeam != plain)
        let advertised = origin.number(at: .at(10))
        let number = try #require(advertised)
        #expect(answer(to: number, at: 11).activity?.teamID == "T1")
        #expect(ActivityKind(.browsingWeb, team: "T1").hash == ActivityKind(.browsingWeb, team: nil).hash)
    }

    private mutating func open(_ document: String?, in id: ActivityID, at seconds: Double) throws {
        let userInfo = document.map { [Activity.documentURLKey: UserInfoValue.url($0)] } ?? [:]
        let activity = try Activity.sample(userInfo: userInfo)
        try origin.update(id, by: Self.client, at: .at(seconds)) { $0.activity = activity }
    }
}
