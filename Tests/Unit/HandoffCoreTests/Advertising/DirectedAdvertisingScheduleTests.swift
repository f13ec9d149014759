import HandoffCore
import HandoffCrypto
import HandoffModel
import Testing
import TestLimits

@Suite("Members that lag have turns of the advertisement", .endsWithin(minutes: 10))
struct DirectedAdvertisingScheduleTests {
    private static let edit = AdvertisementPacer.Content.activity(hash("edit"), hasWebpage: false)
    private static let draw = AdvertisementPacer.Content.activity(hash("draw"), hasWebpage: false)
    private let members: [DeviceID]
    private var turns = DirectedAdvertisingSchedule()

    init() throws {
        members = try ["1111111111111111", "2222222222222222"].map { try DeviceID($0) }
    }

    private static func hash(_ name: String) -> ActivityTypeHash {
        guard let type = try? ActivityType("org.example.\(name)") else { preconditionFailure("the name is a type") }
        return type.hash
    }

    /// Whose turn it is at that second, from which nothing else is asked in between.
    private mutating func member(
        at seconds: Double,
        advertising content: AdvertisementPacer.Content? = edit,
        circleDigest: UInt8 = 1,
        for lagging: [DeviceID]
    ) -> DeviceID? {
        turns.advance(
            to: .milliseconds(Int((seconds * 1000).rounded())),
            advertising: content,
            circleDigest: [circleDigest],
            for: lagging
        )
        .member
    }

    @Test("nobody has a turn when nobody lags, nothing is advertised, or a farewell is")
    mutating func none() {
        for second in 0..<100 {
            #expect(member(at: Double(second), for: []) == nil)
            #expect(member(at: Double(second), advertising: nil, for: members) == nil)
            #expect(member(at: Double(second), advertising: .withdrawal, for: members) == nil)
        }
        let next = turns.advance(to: .seconds(100), advertising: Self.edit, circleDigest: [], for: []).next
        #expect(next == nil)
    }

    @Test("all are told first, then each lagging member in turn, as long as a scanner rests")
    mutating func order() {
        #expect(member(at: 0, for: members) == nil)
        #expect(member(at: 5.9, for: members) == nil)
        #expect(member(at: 6, for: members) == members[0])
        #expect(member(at: 11.2, for: members) == members[0])
        #expect(member(at: 11.28, for: members) == nil)
        #expect(member(at: 17.28, for: members) == members[1])
        #expect(member(at: 22.56, for: members) == nil)
        #expect(member(at: 34.5, for: members) == nil)
        #expect(member(at: 34.56, for: members) == members[0])
    }

    @Test("a turn ends when its member knows, and the rest go on")
    mutating func acknowledged() {
        _ = member(at: 0, for: members)
        #expect(member(at: 6, for: members) == members[0])
        #expect(member(at: 7, for: [members[1]]) == nil)
        #expect(member(at: 13, for: [members[1]]) == members[1])
        #expect(member(at: 14, for: []) == nil)
    }

    @Test("another activity is told to all first, and new news come soon again")
    mutating func renewed() {
        _ = member(at: 0, for: members)
        #expect(member(at: 6, for: members) == members[0])
        #expect(member(at: 7, advertising: Self.draw, for: members) == nil)
        #expect(member(at: 13, advertising: Self.draw, for: members) == members[0])
        #expect(member(at: 14, advertising: Self.draw, circleDigest: 2, for: members) == nil)
        #expect(member(at: 20, advertising: Self.draw, circleDigest: 2, for: members) == members[0])
    }

    @Test(
        "whoever lags for a day costs two changes of the advertisement in five minutes, and asks for no more wake-ups"
    )
    mutating func day() throws {
        var (now, changes, wakes) = (Duration.zero, 0, 0)
        var last: DeviceID?
        while now < .seconds(86_400) {
            let (member, next) = turns.advance(to: now, advertising: Self.edit, circleDigest: [1], for: [members[0]])
            if member != last { changes += 1 }
            (last, wakes) = (member, wakes + 1)
            now = try #require(next)
        }
        #expect((560...600).contains(changes))
        #expect(wakes <= changes + 1)
    }
}
