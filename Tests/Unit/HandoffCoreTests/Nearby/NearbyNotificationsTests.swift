import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffTestVectors
import TestLimits
import Testing

@Suite("The user is notified once of each activity, and not too often", .endsWithin(minutes: 10))
struct NearbyNotificationsTests {
    typealias Offer = NearbyNotifications.Offer
    typealias Action = NearbyNotifications.Action

    private static func offer(
        _ id: NearbyEntry.ID,
        device: UInt8 = 1,
        _ type: String = "edit",
        targetName: String = "Editor"
    ) throws -> Offer {
        Offer(
            id: id,
            device: try .sample(device),
            typeHash: try ActivityType("org.example.\(type)").hash,
            targetName: targetName
        )
    }

    /// The actions that are due, and when to ask again.
    struct Due: Equatable {
        let actions: [Action]
        let next: Duration?

        init(_ actions: [Action], _ next: Duration?) {
            (self.actions, self.next) = (actions, next)
        }
    }

    @Test("A nearby activity is shown at once, and its notification is closed when it leaves")
    func comesAndGoes() throws {
        var notices = NearbyNotifications()
        let offer = try Self.offer(1)
        notices.update([offer])
        #expect(notices.advance(to: .seconds(1)).actions == [.show(offer)])
        #expect(notices.due(at: .seconds(2)) == Due([], nil))
        notices.update([])
        #expect(notices.due(at: .seconds(3)) == Due([.close], nil))
        #expect(notices.due(at: .seconds(4)) == Due([], nil))
    }

    @Test("Another activity replaces the notification after half a minute, the last one of several")
    func replaced() throws {
        var notices = NearbyNotifications()
        let (first, second, third) = (try Self.offer(1), try Self.offer(2, "draw"), try Self.offer(3, "read"))
        notices.update([first])
        _ = notices.advance(to: .seconds(10))
        notices.update([second])
        #expect(notices.due(at: .seconds(11)) == Due([.close], .seconds(40)))
        notices.update([third])
        #expect(notices.due(at: .seconds(12)) == Due([], .seconds(40)))
        #expect(notices.due(at: .seconds(40)) == Due([.show(third)], nil))
    }

    @Test("A notification that the user closed stays closed for as long as the activity is nearby")
    func dismissed() throws {
        var notices = NearbyNotifications()
        notices.update([try Self.offer(1)])
        _ = notices.advance(to: .zero)
        notices.closed()
        for seconds in [1, 299, 300, 10_000] { #expect(notices.due(at: .seconds(seconds)) == Due([], nil)) }
    }

    @Test("The same activity that comes back is shown again after five minutes, not before")
    func flapping() throws {
        var notices = NearbyNotifications()
        notices.update([try Self.offer(1)])
        _ = notices.advance(to: .zero)
        notices.update([])
        #expect(notices.advance(to: .seconds(50)).actions == [.close])
        let again = try Self.offer(2)
        notices.update([again])
        #expect(notices.due(at: .seconds(60)) == Due([], .seconds(300)))
        #expect(notices.due(at: .seconds(300)) == Due([.show(again)], nil))
    }

    @Test("An activity that the user continues is not shown, and its notification is closed")
    func continued() throws {
        var notices = NearbyNotifications()
        let (first, second) = (try Self.offer(1), try Self.offer(2, device: 2))
        notices.update([first])
        _ = notices.advance(to: .zero)
        #expect(notices.continued(1, at: .seconds(1)) == [.close])
        notices.update([first, second])
        #expect(notices.continued(2, at: .seconds(2)).isEmpty)
        #expect(notices.continued(7, at: .seconds(2)).isEmpty)
        #expect(notices.due(at: .seconds(400)) == Due([], nil))
    }

    @Test("A notification is replaced when another app would open the activity")
    func otherOpener() throws {
        var notices = NearbyNotifications()
        notices.update([try Self.offer(1)])
        _ = notices.advance(to: .zero)
        let changed = try Self.offer(1, targetName: "the browser")
        notices.update([changed])
        #expect(notices.due(at: .seconds(5)) == Due([], .seconds(30)))
        #expect(notices.due(at: .seconds(30)) == Due([.show(changed)], nil))
    }

    @Test(
        "In any history, one activity is shown at a time, with pauses, none twice, and none that has left",
        arguments: 0..<200
    )
    func anyHistory(seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed))
        var notices = NearbyNotifications()
        var (offers, uptime, nextID) = ([Offer](), Duration.zero, NearbyEntry.ID(rawValue: 1))
        var (shown, lastShow, shownBefore) = (Offer?.none, Duration?.none, Set<Offer>())
        for _ in 0..<200 {
            uptime += .milliseconds(Int64.random(in: 0...40_000, using: &random))
            switch Int.random(in: 0..<4, using: &random) {
            case 0 where offers.count < 5:
                let type = ["edit", "draw"].randomElement(using: &random) ?? ""
                offers.append(try Self.offer(nextID, device: .random(in: 1...2, using: &random), type))
                nextID = nextID.next
            case 1: if !offers.isEmpty { offers.remove(at: .random(in: 0..<offers.count, using: &random)) }
            case 2:
                notices.closed()
                shown = nil
            default: break
            }
            notices.update(offers)
            let (actions, next) = notices.advance(to: uptime)
            for action in actions {
                switch action {
                case .close:
                    try #require(shown != nil)
                    shown = nil
                case .show(let offer):
                    try #require(offers.contains(offer) && shownBefore.insert(offer).inserted)
                    if let lastShow { try #require(uptime - lastShow >= NearbyNotifications.shortestGap) }
                    (shown, lastShow) = (offer, uptime)
                }
            }
            // A shown activity is still offered, and a deadline is in the future.
            if let shown { try #require(offers.contains(shown)) }
            if let next { try #require(next > uptime) }
        }
    }
}

extension NearbyNotifications {
    fileprivate mutating func due(at uptime: Duration) -> NearbyNotificationsTests.Due {
        let (actions, next) = advance(to: uptime)
        return NearbyNotificationsTests.Due(actions, next)
    }
}
