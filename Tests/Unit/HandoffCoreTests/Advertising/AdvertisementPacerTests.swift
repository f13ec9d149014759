import HandoffCore
import HandoffModel
import HandoffTestVectors
import TestLimits
import Testing

@Suite("The pace of advertising", .endsWithin(minutes: 10))
struct AdvertisementPacerTests {
    private typealias Content = AdvertisementPacer.Content

    private static func content(_ number: UInt8) throws -> Content { offered(number) }

    @Test("Nothing is advertised, and there is no deadline, before something is requested")
    func silence() {
        var pacer = AdvertisementPacer()
        let (broadcast, next) = pacer.advance(to: .at(0))
        #expect(broadcast == nil)
        #expect(next == nil)
    }

    @Test("The first request is on the air at once, and is fresh for ten minutes and no longer")
    func freshness() throws {
        var pacer = AdvertisementPacer()
        pacer.request(try Self.content(1))
        #expect(pacer.advance(to: .at(0)).broadcast?.isFresh == true)
        #expect(pacer.advance(to: .at(0)).next == Moment.at(600).uptime)
        #expect(pacer.advance(to: .at(599.9)).broadcast?.isFresh == true)
        #expect(pacer.advance(to: .at(600)).broadcast?.isFresh == false)
    }

    @Test("A change waits half a second after the last one, and the last request wins")
    func gap() throws {
        var pacer = AdvertisementPacer()
        pacer.request(try Self.content(1))
        _ = pacer.advance(to: .at(0))
        pacer.request(try Self.content(2))
        pacer.request(try Self.content(3))
        let early = pacer.advance(to: .at(0.2))
        #expect(early.broadcast?.content == (try Self.content(1)))
        #expect(early.next == Moment.at(0.5).uptime)
        #expect(pacer.advance(to: .at(0.5)).broadcast?.content == (try Self.content(3)))
    }

    @Test("A request that is withdrawn in time changes nothing")
    func changeOfMind() throws {
        var pacer = AdvertisementPacer()
        pacer.request(try Self.content(1))
        _ = pacer.advance(to: .at(0))
        pacer.request(try Self.content(2))
        _ = pacer.advance(to: .at(0.1))
        pacer.request(try Self.content(1))
        #expect(pacer.advance(to: .at(5)).broadcast?.content == (try Self.content(1)))
    }

    @Test("Three changes may follow each other, then one in two seconds; after a rest three again")
    func budget() throws {
        var pacer = AdvertisementPacer()
        for start in [0.0, 60] {
            for number in 0..<3 {
                pacer.request(try Self.content(UInt8(number)))
                let now = Moment.at(start + 0.5 * Double(number))
                #expect(pacer.advance(to: now).broadcast?.content == (try Self.content(UInt8(number))))
            }
            pacer.request(try Self.content(9))
            let early = pacer.advance(to: .at(start + 1.5))
            #expect(early.broadcast?.content == (try Self.content(2)))
            #expect(early.next == Moment.at(start + 2).uptime)
            #expect(pacer.advance(to: .at(start + 2)).broadcast?.content == (try Self.content(9)))
        }
    }

    @Test("The last of any number of quick changes is on the air within two seconds", arguments: 1...20)
    func last(of count: Int) throws {
        var pacer = AdvertisementPacer()
        for number in 0..<count {
            pacer.request(try Self.content(UInt8(number)))
            _ = pacer.advance(to: .at(0.4 * Double(number)))
        }
        let last = 0.4 * Double(count - 1)
        var now = Moment.at(last)
        while let next = pacer.advance(to: now).next, next <= Moment.at(last + 2).uptime {
            now = now.advanced(by: next - now.uptime)
        }
        #expect(pacer.advance(to: now).broadcast?.content == (try Self.content(UInt8(count - 1))))
    }

    @Test("A withdrawal follows the last activity, counts from its start on the air, and nothing follows it")
    func farewell() throws {
        var pacer = AdvertisementPacer()
        pacer.request(try Self.content(1))
        _ = pacer.advance(to: .at(0))
        pacer.request(nil)
        #expect(pacer.advance(to: .at(3)).broadcast?.content == .withdrawal)
        pacer.began(.withdrawal, at: Moment.at(4).uptime)
        let end = Moment.at(4).uptime + AdvertisementPacer.withdrawalDuration
        let meanwhile = pacer.advance(to: .at(6))
        #expect(meanwhile.broadcast?.content == .withdrawal)
        #expect(meanwhile.next == end)
        let after = pacer.advance(to: .at(10))
        #expect(after.broadcast == nil)
        #expect(after.next == nil)
    }

    @Test("A withdrawal does not wait for its turn, so that a stale entry is removed soon")
    func promptFarewell() throws {
        var pacer = AdvertisementPacer()
        for number in 0..<5 {
            pacer.request(try Self.content(UInt8(number)))
            _ = pacer.advance(to: .at(Double(number) * 0.5))
        }
        pacer.request(nil)
        #expect(pacer.advance(to: .at(2.5)).broadcast?.content == .withdrawal)
    }

    @Test("An advertisement is sealed again in each slot")
    func slots() throws {
        var pacer = AdvertisementPacer()
        pacer.request(try Self.content(1))
        let first = pacer.advance(to: .at(0))
        let boundary = Moment.at(0).advanced(by: Moment.at(0).timeToNextSlot)
        #expect(pacer.advance(to: .at(31)).next == boundary.uptime)
        #expect(pacer.advance(to: boundary).broadcast?.slot == (first.broadcast?.slot ?? 0) + 1)
    }

    @Test("Any history keeps the limits, and the last request is on the air in the end", arguments: 0..<200)
    func histories(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var pacer = AdvertisementPacer()
        var now = Moment.at(0)
        var onAir: Content?
        var changes: [(at: Duration, to: Content?)] = []
        var requested: Content?
        func look() -> Duration? {
            let (broadcast, next) = pacer.advance(to: now)
            if broadcast?.content != onAir {
                onAir = broadcast?.content
                changes.append((now.uptime, onAir))
            }
            return next
        }
        for _ in 0..<60 {
            requested = Bool.random(using: &random) ? try Self.content(.random(in: 0...3, using: &random)) : nil
            pacer.request(requested)
            _ = look()
            now = now.advanced(by: .milliseconds(Int64.random(in: 0...1500, using: &random)))
        }
        for _ in 0..<10 {
            guard let next = look(), next < now.uptime + .seconds(25) else { break }
            #expect(next > now.uptime, "a deadline that has passed would cause an endless loop")
            now = now.advanced(by: next - now.uptime)
        }
        #expect(onAir == requested)
        let audible = changes.filter { $0.to != nil }
        for (one, next) in zip(audible, audible.dropFirst()) { #expect(next.at - one.at >= .milliseconds(500)) }
        let counted = audible.filter { $0.to != .withdrawal }.map(\.at)
        for (first, eighth) in zip(counted, counted.dropFirst(7)) { #expect(eighth - first >= .seconds(8)) }
    }
}
