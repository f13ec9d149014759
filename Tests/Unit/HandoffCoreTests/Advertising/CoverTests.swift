import HandoffCore
import HandoffCrypto
import HandoffModel
import Testing
import TestLimits

@Suite("Cover advertisements are sent while there is no activity to continue", .endsWithin(minutes: 10))
struct CoverTests {
    @Test(
        "Without cover, advertising ends; with cover, the withdrawal continues, slot by slot",
        arguments: [false, true]
    )
    func silence(isCovering: Bool) throws {
        var pacer = AdvertisementPacer()
        pacer.isCovering = isCovering
        pacer.request(offered(1))
        _ = pacer.advance(to: .at(0))
        pacer.request(nil)
        #expect(pacer.advance(to: .at(10)).broadcast?.content == .withdrawal)
        let later = pacer.advance(to: .at(2000))
        #expect((later.broadcast?.content == .withdrawal) == isCovering)
        #expect((later.next == nil) == !isCovering)
        if isCovering { #expect(later.broadcast?.slot == Moment.at(2000).slot) }
    }

    @Test("Cover begins before any activity was current, and ends when it is switched off")
    func beginning() {
        var pacer = AdvertisementPacer()
        pacer.isCovering = true
        #expect(pacer.advance(to: .at(0)).broadcast?.content == .withdrawal)
        pacer.isCovering = false
        #expect(pacer.advance(to: .at(100)).broadcast == nil)
    }

    @Test("A withdrawal for a member alone lasts as long as its greeting, and what is offered then need not wait")
    func greeting() {
        var pacer = AdvertisementPacer()
        pacer.greet(at: .zero)
        #expect(pacer.advance(to: .at(0)).broadcast?.content == .withdrawal)
        pacer.isGreetingMember = true
        let (broadcast, next) = pacer.advance(to: .at(90))
        #expect(broadcast?.content == .withdrawal)
        #expect(next.map { $0 > Moment.at(90).uptime } == true)
        pacer.request(offered(1))
        #expect(pacer.advance(to: .at(90.001)).broadcast?.content == offered(1))
        pacer = AdvertisementPacer()
        pacer.isGreetingMember = true
        #expect(pacer.advance(to: .at(0)).broadcast?.content == .withdrawal)
        pacer.isGreetingMember = false
        #expect(pacer.advance(to: .at(10)) == (nil, nil))
    }

    @Test(
        "Who comes is heard by all, also while a member is greeted alone or a withdrawal is about to end",
        arguments: [false, true]
    )
    func anotherGreeting(isCovering: Bool) throws {
        var pacer = AdvertisementPacer()
        pacer.isCovering = isCovering
        pacer.greet(at: .zero)
        #expect(pacer.isGreetingAll(at: .zero))
        let first = try #require(pacer.advance(to: .at(0)).broadcast)
        #expect(!pacer.isGreetingAll(at: Moment.at(6).uptime))
        pacer.isGreetingMember = true
        _ = pacer.advance(to: .at(6))
        pacer.greet(at: Moment.at(60).uptime)
        #expect(pacer.isGreetingAll(at: Moment.at(60).uptime))
        pacer.isGreetingMember = false
        let (broadcast, next) = pacer.advance(to: .at(60))
        #expect(try #require(broadcast).number > first.number)
        #expect(next == Moment.at(65.28).uptime)
        #expect(pacer.isGreetingAll(at: Moment.at(65).uptime))
        #expect(!pacer.isGreetingAll(at: Moment.at(65.28).uptime))
        #expect((pacer.advance(to: .at(65.28)).broadcast == nil) == !isCovering)
    }

    @Test("Who comes again and again takes a number in two seconds at most, and is heard by all until the end")
    func manyGreetings() throws {
        var (pacer, numbers) = (AdvertisementPacer(), Set<AdvertisementNumber>())
        for tenth in 0..<100 {
            let now = Moment.at(Double(tenth) / 10)
            pacer.greet(at: now.uptime)
            numbers.insert(try #require(pacer.advance(to: now).broadcast).number)
        }
        #expect(numbers.count <= 5)
        #expect(pacer.isGreetingAll(at: Moment.at(15).uptime))
    }

    @Test("A greeting that has not begun when this device may not advertise any more does not begin")
    func cancelled() {
        var pacer = AdvertisementPacer()
        pacer.greet(at: .zero)
        pacer.cancelGreeting()
        #expect(pacer.advance(to: .at(0)) == (nil, nil))
        pacer.isCovering = true
        pacer.greet(at: Moment.at(1).uptime)
        _ = pacer.advance(to: .at(1))
        pacer.isCovering = false
        _ = pacer.advance(to: .at(10))
        #expect(pacer.advance(to: .at(20)) == (nil, nil), "the greeting is over")
    }

    @Test("Cover has the timing of an activity: fresh after a change, relaxed later, renewed at each slot")
    func pace() throws {
        func trace(_ content: AdvertisementPacer.Content?) -> [[UInt64]] {
            var pacer = AdvertisementPacer()
            pacer.isCovering = true
            pacer.request(content)
            // The end of freshness would else come with the end of a slot.
            var (now, seen): (Moment, [[UInt64]]) = (.at(1), [])
            while now.uptime < Moment.at(3000).uptime {
                let (broadcast, next) = pacer.advance(to: now)
                guard let broadcast, let next else { return [] }
                seen.append([broadcast.slot, broadcast.isFresh ? 1 : 0])
                now = now.advanced(by: next - now.uptime)
            }
            return seen
        }
        let covered = trace(nil)
        #expect(covered.count == 5)
        #expect(covered == trace(offered(1, hasWebpage: true)))
    }
}
