import HandoffCrypto
import HandoffModel
import Testing
import TestLimits

@testable import HandoffCore

@Suite("Lagging members have turns of the advertisement", .endsWithin(minutes: 10))
struct DirectedAdvertisingScheduleTests {
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
        members = try (1...4).map { try DeviceID(String(repeating: "\($0)", count: 16)) }
    }

    private mutating func advance(
        to seconds: Double,
        advertising content: AdvertisementPacer.Content? = offered(1),
        slot: UInt64 = 10,
        under key: SealingKey? = nil,
        circleDigest: UInt8 = 1,
        for lagging: [DeviceID],
        heard: Set<DeviceID> = []
    ) -> (member: DeviceID?, next: Double?) {
        let broadcast = content.map {
            AdvertisementPacer.Broadcast(content: $0, number: .at(1, slot: slot), isFresh: false)
        }
        let (member, next) = schedule.advance(
            to: .milliseconds(Int((seconds * 1000).rounded())),
            advertising: broadcast,
            under: key ?? self.key,
            circleDigest: [circleDigest],
            for: lagging,
            heard: heard
        )
        return (member, next.map { $0 / .seconds(1) })
    }

    /// The turns that begin in a slot between two instants, if the schedule is called at its own deadlines.
    private mutating func turns(
        from start: Double = 0,
        to end: Double,
        of number: UInt8 = 1,
        slot: UInt64 = 10,
        under key: SealingKey? = nil,
        for lagging: [DeviceID],
        heard: Set<DeviceID> = []
    ) -> [Turn] {
        var (turns, now): ([Turn], Double) = ([], start)
        while now < end {
            let (member, next) = advance(
                to: now,
                advertising: offered(number),
                slot: slot,
                under: key,
                for: lagging,
                heard: heard
            )
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

    @Test(
        "What is new is for all for four seconds; then each lagging member has two turns, as long as a scanner pauses"
    )
    mutating func order() throws {
        let turns = turns(to: 120, for: [members[0], members[1]])
        #expect(turns.prefix(4).map(\.member) == [members[0], members[1], members[0], members[1]])
        #expect(turns.allSatisfy { (5.28..<7.92).contains($0.length) })
        #expect((4.0..<6).contains(try #require(turns.first).start))
        let pauses = zip(turns.dropFirst(), turns).prefix(3).map { $0.start - $1.end }
        #expect(pauses.allSatisfy { (6.0..<12).contains($0) })
    }

    @Test("Where no member can read what is for all, each lagging one has its first turn at once")
    mutating func readByNone() throws {
        func advance(_ schedule: inout DirectedAdvertisingSchedule, to seconds: Double) -> (DeviceID?, Duration?) {
            let broadcast = AdvertisementPacer.Broadcast(content: offered(1), number: .at(1), isFresh: false)
            return schedule.advance(
                to: .milliseconds(Int(seconds * 1000)),
                advertising: broadcast,
                under: key,
                circleDigest: [1],
                for: Array(members.prefix(2)),
                isReadByNone: true
            )
        }
        let (first, end) = advance(&schedule, to: 0)
        #expect(first == members[0])
        let second = advance(&schedule, to: try #require(end) / .seconds(1) + 0.001)
        #expect(second.0 == members[1])
    }

    @Test("A member that lets two turns pass is probably away, and has a turn after minutes")
    mutating func away() {
        let turns = turns(to: 3000, for: [members[0]])
        let pauses = zip(turns.dropFirst(), turns).map { $0.start - $1.end }
        #expect((6.0..<12).contains(pauses[0]))
        #expect(pauses.dropFirst(2).allSatisfy { (150.0..<300).contains($0) })
        #expect(turns.count < 20)
    }

    @Test("Of members that are away, none has a turn in the minute after something new")
    mutating func quiet() {
        var start = 0.0
        _ = turns(to: 2000, for: members)
        for number in UInt8(2)...20 {
            start = 2000 + Double(number) * 100
            let turns = turns(from: start, to: start + 59, of: number, for: members)
            // The last turn may have been five minutes before, and the next one is delayed by ten minutes at most.
            #expect(turns.isEmpty || start - 2000 >= 240)
        }
    }

    @Test("Members that are away have turns also when something new comes every half minute")
    mutating func busy() {
        _ = turns(to: 2000, for: members)
        var all: [Turn] = []
        for number in 0..<200 {
            let start = 2000 + Double(number) * 30
            all += turns(from: start, to: start + 30, of: UInt8(number % 250) + 2, for: members)
        }
        #expect(Set(all.map(\.member)) == Set(members))
    }

    @Test("The member that came back, or has just begun to lag, comes before those that are away")
    mutating func living() throws {
        _ = turns(to: 2000, for: Array(members.prefix(3)))
        let turn = turns(from: 2000, to: 2020, of: 2, for: members).first
        #expect(turn?.member == members[3], "it has begun to lag")
        _ = turns(from: 2020, to: 4000, of: 2, for: members)
        let heard = turns(from: 4000, to: 4020, of: 3, for: members, heard: [members[1]]).first
        #expect(heard?.member == members[1], "it was heard again")
    }

    @Test("When somebody comes, each member that is away has one turn soon, after a while in which all are addressed")
    mutating func arrival() throws {
        _ = turns(to: 2000, for: members)
        schedule.somebodyCame(at: .seconds(2000))
        let turns = turns(from: 2000, to: 2120, for: members)
        #expect(turns.prefix(4).map(\.member).sorted() == members)
        #expect((2004..<2006).contains(try #require(turns.first).start))
        #expect(turns.count == 4)
    }

    @Test("Which member is next does not depend on what is advertised: none waits for ever")
    mutating func fairness() throws {
        var all: [Turn] = []
        for number in 0..<8 {
            let start = Double(number) * 14
            all += turns(from: start, to: start + 14, of: UInt8(number) + 1, for: members)
        }
        #expect(Set(all.map(\.member)) == Set(members))
    }

    @Test("A member that is heard and does not answer has no more turns than one that is away")
    mutating func heardWithoutAnswer() {
        let turns = turns(to: 3000, for: [members[0]], heard: [members[0]])
        #expect(turns.count < 20)
    }

    @Test("A turn ends when its member is up to date, and the other members continue")
    mutating func acknowledged() throws {
        let two = Array(members.prefix(2))
        let turn = try #require(turns(to: 12, for: two).first)
        schedule = DirectedAdvertisingSchedule()
        _ = advance(to: 0, for: two)
        #expect(advance(to: turn.start, for: two).member == members[0])
        let (member, next) = advance(to: turn.start + 1, for: [members[1]])
        #expect(member == nil)
        #expect(advance(to: try #require(next), for: [members[1]]).member == members[1])
        #expect(advance(to: try #require(next) + 1, for: []).member == nil)
    }

    @Test("Another activity ends a turn, and is advertised to all first; so is a new state of the circle")
    mutating func renewed() throws {
        for (number, digest) in [(UInt8(2), UInt8(1)), (2, 2)] {
            let turn = try #require(turns(to: 12, for: members).first)
            let start = turn.start + 1
            let (member, next) = advance(to: start, advertising: offered(number), circleDigest: digest, for: members)
            #expect(member == nil)
            #expect((4..<6).contains(try #require(next) - start))
            schedule = DirectedAdvertisingSchedule()
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

    @Test("A new slot ends a turn, and the next one comes at any time within a pause")
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
        #expect(starts.allSatisfy { (4..<300).contains($0) })
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
