import HandoffCore
import HandoffModel
import Testing
import TestLimits

@Suite("A device with nothing to offer greets members that may not hear it, each alone", .endsWithin(minutes: 10))
struct MemberGreetingsTests {
    private let members: [DeviceID]
    private var greetings = MemberGreetings()

    init() throws {
        members = try (1...6).map { try DeviceID(String(repeating: "\($0)", count: 16)) }
    }

    /// Who is greeted from when to when, if the greetings are asked at their own deadlines.
    private mutating func all(
        from start: Double,
        for members: [DeviceID]
    ) -> [(member: DeviceID?, begin: Double)] {
        var (seen, now): ([(member: DeviceID?, begin: Double)], Double) = ([], start)
        while true {
            let (member, next) = greetings.advance(
                to: .milliseconds(Int64(now * 1000)),
                for: members,
                isSilent: true
            )
            seen.append((member, now))
            guard let next else { return seen }
            now = next / .seconds(1)
        }
    }

    @Test("Nobody is greeted before somebody has come")
    mutating func before() {
        #expect(all(from: 0, for: members).map(\.member) == [nil])
    }

    @Test("After the greeting for all, each member is greeted as long as the longest pause of a scanner")
    mutating func order() {
        greetings.begin()
        #expect(greetings.advance(to: .zero, for: members, isSilent: true, isWaiting: true) == (nil, nil))
        let seen = all(from: 100, for: Array(members.prefix(2)))
        #expect(seen.map(\.member) == [members[0], members[1], nil])
        #expect(seen.map(\.begin) == [100, 192, 284])
    }

    @Test("Four members are greeted, and more when somebody comes again")
    mutating func limit() {
        greetings.begin()
        #expect(all(from: 0, for: members).compactMap(\.member) == Array(members.prefix(4)))
        #expect(all(from: 2000, for: members).map(\.member) == [nil])
        greetings.begin()
        #expect(all(from: 3000, for: members).compactMap(\.member).first == members[0])
    }

    @Test("Who has let a greeting pass is not greeted again for ten minutes, unless the clock was set")
    mutating func silence() {
        greetings.begin()
        #expect(all(from: 0, for: [members[0]]).map(\.member) == [members[0], nil])
        greetings.begin()
        #expect(all(from: 100, for: Array(members.prefix(2))).map(\.member) == [members[1], nil])
        greetings.begin()
        #expect(all(from: 692, for: [members[0]]).map(\.member) == [members[0], nil])
        greetings.begin()
        greetings.clockWasSet()
        #expect(all(from: 800, for: [members[0]]).map(\.member) == [members[0], nil])
    }

    @Test("Who is heard is not greeted, and a greeting of one that begins to be heard goes on until the exchange")
    mutating func heard() {
        greetings.begin()
        let heard: Set = [members[0]]
        #expect(greetings.advance(to: .zero, for: members, heard: heard, isSilent: true).member == members[1])
        let now = Duration.seconds(1)
        #expect(greetings.advance(to: now, for: members, heard: Set(members), isSilent: true).member == members[1])
        let (member, next) = greetings.advance(to: now, for: [members[0]], heard: heard, isSilent: true)
        #expect(member == nil)
        #expect(next == .seconds(31), "it may not be heard any more then")
        #expect(greetings.advance(to: .seconds(31), for: [members[0]], isSilent: true).member == members[0])
    }

    @Test("What the radio could not send, or the end of which this device slept through, was not let pass")
    mutating func unheard() {
        greetings.begin()
        #expect(greetings.advance(to: .zero, for: members, isSilent: true).member == members[0])
        #expect(greetings.advance(to: .seconds(50), for: members, isSilent: true, isWaiting: true) == (nil, nil))
        #expect(greetings.advance(to: .seconds(100), for: members, isSilent: true).member == members[0])
        greetings.begin()
        #expect(greetings.advance(to: .seconds(110), for: members, isSilent: true).member == members[0])
        #expect(greetings.advance(to: .seconds(300), for: members, isSilent: true).member == members[1])
        greetings.begin()
        #expect(greetings.advance(to: .seconds(301), for: members, isSilent: true).member == members[0])
    }

    @Test("A greeting is over as soon as the exchange is completed, and the next one begins")
    mutating func completed() {
        greetings.begin()
        #expect(greetings.advance(to: .seconds(10), for: members, isSilent: true).member == members[0])
        let (member, next) = greetings.advance(to: .seconds(12), for: [members[1]], isSilent: true)
        #expect(member == members[1])
        #expect(next == .seconds(104))
        #expect(greetings.advance(to: .seconds(13), for: [], isSilent: true).member == nil)
        #expect(greetings.advance(to: .seconds(14), for: members, isSilent: true) == (nil, nil))
    }

    @Test("A device that has something to offer, or may not advertise, greets nobody, also afterwards")
    mutating func offering() {
        greetings.begin()
        #expect(greetings.advance(to: .seconds(10), for: members, isSilent: true).member == members[0])
        #expect(greetings.advance(to: .seconds(11), for: members, isSilent: false) == (nil, nil))
        #expect(all(from: 12, for: members).map(\.member) == [nil])
    }
}
