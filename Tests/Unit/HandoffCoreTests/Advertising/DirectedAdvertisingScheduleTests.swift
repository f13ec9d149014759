import HandoffCore
import HandoffCrypto
import HandoffModel
import TestLimits
import Testing

@Suite("Lagging members have turns of the advertisement", .endsWithin(minutes: 10))
struct DirectedAdvertisingScheduleTests {
    private static let edit = AdvertisementPacer.Content.activity(activity("edit"), hasWebpage: false)
    private static let draw = AdvertisementPacer.Content.activity(activity("draw"), hasWebpage: false)
    private let members: [DeviceID]
    private var schedule = DirectedAdvertisingSchedule()

    init() throws {
        members = try ["1111111111111111", "2222222222222222"].map { try DeviceID($0) }
    }

    private static func activity(_ name: String) -> AdvertisedActivity {
        guard let type = try? ActivityType("org.example.\(name)") else { preconditionFailure("the name is a type") }
        return AdvertisedActivity(typeHash: type.hash, tag: ActivityTag(0))
    }

    /// The member whose turn it is at that second, if nothing is asked in between.
    private mutating func member(
        at seconds: Double,
        advertising content: AdvertisementPacer.Content? = edit,
        circleDigest: UInt8 = 1,
        for lagging: [DeviceID]
    ) -> DeviceID? {
        schedule.advance(
            to: .milliseconds(Int((seconds * 1000).rounded())),
            advertising: content,
            circleDigest: [circleDigest],
            for: lagging
        )
        .member
    }

    @Test("There is no turn if no member lags, nothing is advertised, or a withdrawal is advertised")
    mutating func none() {
        for second in 0..<100 {
            #expect(member(at: Double(second), for: []) == nil)
            #expect(member(at: Double(second), advertising: nil, for: members) == nil)
            #expect(member(at: Double(second), advertising: .withdrawal, for: members) == nil)
        }
        let next = schedule.advance(to: .seconds(100), advertising: Self.edit, circleDigest: [], for: []).next
        #expect(next == nil)
    }

    @Test("All members are addressed first, then each lagging one in turn, for as long as a scanner pauses")
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

    @Test("A turn ends when its member is up to date, and the other members continue")
    mutating func acknowledged() {
        _ = member(at: 0, for: members)
        #expect(member(at: 6, for: members) == members[0])
        #expect(member(at: 7, for: [members[1]]) == nil)
        #expect(member(at: 13, for: [members[1]]) == members[1])
        #expect(member(at: 14, for: []) == nil)
    }

    @Test("Another activity is advertised to all first, and a new circle digest gets its turns soon again")
    mutating func renewed() {
        _ = member(at: 0, for: members)
        #expect(member(at: 6, for: members) == members[0])
        #expect(member(at: 7, advertising: Self.draw, for: members) == nil)
        #expect(member(at: 13, advertising: Self.draw, for: members) == members[0])
        #expect(member(at: 14, advertising: Self.draw, circleDigest: 2, for: members) == nil)
        #expect(member(at: 20, advertising: Self.draw, circleDigest: 2, for: members) == members[0])
    }

    @Test(
        "A member that lags for a day costs two advertisement changes in five minutes, and no more wake-ups"
    )
    mutating func day() throws {
        var (now, changes, wakes) = (Duration.zero, 0, 0)
        var last: DeviceID?
        while now < .seconds(86_400) {
            let (member, next) = schedule.advance(to: now, advertising: Self.edit, circleDigest: [1], for: [members[0]])
            if member != last { changes += 1 }
            (last, wakes) = (member, wakes + 1)
            now = try #require(next)
        }
        #expect((560...600).contains(changes))
        #expect(wakes <= changes + 1)
    }
}
