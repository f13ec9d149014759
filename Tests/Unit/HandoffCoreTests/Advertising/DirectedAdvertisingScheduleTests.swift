import HandoffCrypto
import HandoffModel
import TestLimits
import Testing

@testable import HandoffCore

@Suite("Lagging members have turns of the advertisement", .endsWithin(minutes: 10))
struct DirectedAdvertisingScheduleTests {
    private static let edit = AdvertisementPacer.Content.activity(advertised(1), hasWebpage: false)
    private static let draw = AdvertisementPacer.Content.activity(advertised(2), hasWebpage: false)

    /// A turn of a member, in seconds.
    private struct Turn: Equatable {
        let member: DeviceID
        let start: Double
        let end: Double

        var length: Double { end - start }
    }

    private let members: [DeviceID]
    private let key = SealingKey.constant(.generate())
    private var schedule = DirectedAdvertisingSchedule()

    init() throws {
        members = try ["1111111111111111", "2222222222222222"].map { try DeviceID($0) }
    }

    private mutating func advance(
        to seconds: Double,
        advertising content: AdvertisementPacer.Content? = edit,
        slot: UInt64 = 10,
        under key: SealingKey? = nil,
        circleDigest: UInt8 = 1,
        for lagging: [DeviceID]
    ) -> (member: DeviceID?, next: Double?) {
        let (member, next) = schedule.advance(
            to: .milliseconds(Int((seconds * 1000).rounded())),
            advertising: content.map { AdvertisementPacer.Broadcast(content: $0, slot: slot, isFresh: false) },
            under: key ?? self.key,
            circleDigest: [circleDigest],
            for: lagging
        )
        return (member, next.map { $0 / .seconds(1) })
    }

    /// The turns that begin in a slot between two instants, if the schedule is called at its own deadlines.
    private mutating func turns(
        from start: Double = 0,
        to end: Double,
        slot: UInt64 = 10,
        under key: SealingKey? = nil,
        circleDigest: UInt8 = 1,
        for lagging: [DeviceID]
    ) -> [Turn] {
        var (turns, now): ([Turn], Double) = ([], start)
        while now < end {
            let (member, next) = advance(to: now, slot: slot, under: key, circleDigest: circleDigest, for: lagging)
            guard let next else { break }
            if let member { turns.append(Turn(member: member, start: now, end: next)) }
            now = next
        }
        return turns
    }

    @Test("There is no turn if no member lags, nothing is advertised, or a withdrawal is advertised")
    mutating func none() {
        for second in 0..<100 {
            #expect(advance(to: Double(second), for: []).member == nil)
            #expect(advance(to: Double(second), advertising: nil, for: members).member == nil)
            #expect(advance(to: Double(second), advertising: .withdrawal, for: members).member == nil)
        }
        #expect(advance(to: 100, for: []).next == nil)
    }

    @Test("All members are addressed first, then each lagging one in turn, for as long as a scanner pauses or longer")
    mutating func order() throws {
        let turns = turns(to: 3000, for: members)
        #expect(turns.prefix(6).map(\.member) == [0, 1, 0, 1, 0, 1].map { members[$0] })
        #expect(turns.allSatisfy { (5.28..<7.92).contains($0.length) })
        let pauses = zip(turns.dropFirst(), turns).map { $0.start - $1.end }
        let (first, second) = (6.0..<12, 12.0..<24)
        #expect(first.contains(try #require(turns.first).start))
        #expect(first.contains(pauses[0]))
        #expect(second.contains(pauses[1]))
        #expect(second.contains(pauses[2]))
        #expect(pauses.suffix(4).allSatisfy { (150..<300).contains($0) })
        #expect(Set(turns.map(\.length)).count > turns.count / 2, "the lengths are drawn")
    }

    @Test("A turn ends when its member is up to date, and the other members continue")
    mutating func acknowledged() throws {
        let turn = try #require(turns(to: 12, for: members).first)
        schedule = DirectedAdvertisingSchedule()
        _ = advance(to: 0, for: members)
        #expect(advance(to: turn.start, for: members).member == members[0])
        let (member, next) = advance(to: turn.start + 1, for: [members[1]])
        #expect(member == nil)
        #expect(advance(to: try #require(next), for: [members[1]]).member == members[1])
        #expect(advance(to: try #require(next) + 1, for: []).member == nil)
    }

    @Test("Another activity is advertised to all first, and a new circle digest gets its turns soon again")
    mutating func renewed() throws {
        _ = turns(to: 2000, for: members)
        for (content, digest, start) in [(Self.draw, 1, 3000.0), (Self.draw, 2, 4000.0)] {
            let (member, next) = advance(to: start, advertising: content, circleDigest: UInt8(digest), for: members)
            #expect(member == nil)
            #expect((6..<12).contains(try #require(next) - start))
            let turn = advance(to: try #require(next), advertising: content, circleDigest: UInt8(digest), for: members)
            #expect(turn.member == members[0])
        }
    }

    @Test("Each slot and each key has a rhythm of its own, and a restart within the slot repeats it")
    mutating func slots() {
        let other = SealingKey.constant(.generate())
        let inputs: [(UInt64, SealingKey)] = [(10, key), (10, key), (11, key), (12, key), (10, other)]
        let rhythms = inputs.map { slot, key in
            schedule = DirectedAdvertisingSchedule()
            return turns(to: 800, slot: slot, under: key, for: [members[0]]).map { [$0.start, $0.length] }
        }
        #expect(rhythms[0] == rhythms[1])
        #expect(Set(rhythms).count == 4)
    }

    @Test("A new slot ends a turn and begins a new series, with pauses as long as before")
    mutating func newSlot() throws {
        var starts: [Double] = []
        _ = turns(to: 2000, for: members)
        for slot in UInt64(11)..<60 {
            let start = Double(slot) * 900
            let (member, next) = advance(to: start, slot: slot, for: members)
            #expect(member == nil)
            starts.append(try #require(next) - start)
            let turns = turns(from: start, to: start + 890, slot: slot, for: members)
            #expect(zip(turns.dropFirst(), turns).allSatisfy { $0.start - $1.end >= 150 })
        }
        #expect(starts.allSatisfy { (6..<300).contains($0) })
        #expect(try #require(starts.max()) - (try #require(starts.min())) > 150, "the starts are drawn")
    }

    @Test("There is no turn under a key that does not reach the slot")
    mutating func outOfReach() {
        let later = SealingKey.daily(.generate(day: 1))
        #expect(turns(to: 900, slot: 10, under: later, for: members).isEmpty)
    }

    @Test(
        "A member that lags for a day costs three advertisement changes in five minutes, and no more wake-ups"
    )
    mutating func day() throws {
        var (changes, wakes) = (0, 0)
        var last: DeviceID?
        for slot in UInt64(0)..<96 {
            var now = Double(slot) * 900
            let end = now + 900
            while now < end {
                let (member, next) = advance(to: now, slot: slot, for: [members[0]])
                if member != last { changes += 1 }
                if now > Double(slot) * 900 { wakes += 1 }
                last = member
                now = try #require(next)
            }
        }
        #expect((500...864).contains(changes))
        #expect(wakes <= changes + 1)
    }
}
