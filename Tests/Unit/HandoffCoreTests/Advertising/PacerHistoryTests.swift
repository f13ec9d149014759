@testable import HandoffCore
import HandoffModel
import HandoffTestVectors
import TestLimits
import Testing

@Suite("The pacer keeps its limits in any history of requests", .endsWithin(minutes: 10))
struct PacerHistoryTests {
    typealias Content = AdvertisementPacer.Content

    /// The content that is on the air from an instant on.
    struct Change: Equatable {
        let at: Duration
        let content: Content?
    }

    /// A pacer that gets requests and is woken at its own deadlines, and the record of its changes.
    struct History {
        private var pacer = AdvertisementPacer()
        private(set) var changes: [Change] = []
        /// What was advertised, where something was.
        private(set) var broadcasts: [AdvertisementPacer.Broadcast] = []
        private(set) var wakeUps = 0
        private(set) var deadline: Duration?
        private(set) var hasStalled = false

        /// Wakes the pacer at every deadline before `end`.
        mutating func wait(until end: Duration) {
            while let due = deadline, due < end {
                wakeUps += 1
                advance(to: due)
                // A deadline that is not in the future would cause an endless loop.
                if let next = deadline, next <= due {
                    hasStalled = true
                    return
                }
            }
        }

        mutating func request(_ content: Content?, at uptime: Duration) {
            pacer.request(content)
            advance(to: uptime)
        }

        private mutating func advance(to uptime: Duration) {
            let (broadcast, next) = pacer.advance(to: .at(uptime: uptime))
            deadline = next
            guard broadcast?.content != changes.last?.content else { return }
            changes.append(Change(at: uptime, content: broadcast?.content))
            if let broadcast { broadcasts.append(broadcast) }
            if let content = broadcast?.content { pacer.began(content, at: uptime) }
        }
    }

    /// Requests at random instants, in bursts and pauses, and a minute without requests.
    static func history(seed: UInt64) -> (history: History, last: Content?) {
        var random = SeededRandom(seed: seed)
        var history = History()
        var uptime = Duration.zero
        var last: Content?
        for _ in 0..<Int.random(in: 1...60, using: &random) {
            let longest = Bool.random(using: &random) ? 300 : 12_000
            uptime += .milliseconds(Int64.random(in: 0...Int64(longest), using: &random))
            last = Int.random(in: 0..<4, using: &random) == 0 ? nil : .sample(.random(in: 0..<6, using: &random))
            history.wait(until: uptime)
            history.request(last, at: uptime)
        }
        history.wait(until: uptime + .seconds(60))
        return (history, last)
    }

    static let seeds: [UInt64] = Array(1...300)

    @Test("Two changes are at least half a second apart", arguments: seeds)
    func gap(_ seed: UInt64) {
        let advertised = Self.history(seed: seed).history.changes.filter { $0.content != nil }
        for (earlier, later) in zip(advertised, advertised.dropFirst()) {
            #expect(later.at - earlier.at >= AdvertisementPacer.shortestGap)
        }
    }

    @Test("After three changes there is one in two seconds at most, besides withdrawals", arguments: seeds)
    func budget(_ seed: UInt64) {
        let changes = Self.history(seed: seed).history.changes.filter { $0.content != nil && $0.content != .withdrawal }
        for (index, change) in changes.enumerated() {
            for (count, later) in changes[index...].enumerated() {
                #expect(later.at - change.at >= AdvertisementPacer.refill * (count - AdvertisementPacer.burst + 1))
            }
        }
    }

    @Test("Each change has a greater number, which is at most 25 above half the seconds of the slot", arguments: seeds)
    func numbers(_ seed: UInt64) {
        let history = Self.history(seed: seed).history
        for (earlier, later) in zip(history.broadcasts, history.broadcasts.dropFirst()) {
            #expect(later.number >= earlier.number)
            let isSame = later.content.activity == earlier.content.activity && later.number.slot == earlier.number.slot
            #expect((later.number == earlier.number) == isSame)
        }
        let uptimes = history.changes.filter { $0.content != nil }.map(\.at)
        for (uptime, broadcast) in zip(uptimes, history.broadcasts) {
            let clock = Moment.at(uptime: uptime).time(since: broadcast.slot) / AdvertisementPacer.refill
            #expect(Double(broadcast.number.index) <= clock + 25)
        }
    }

    @Test(
        "The last request is on the air in the end; without one nothing is advertised and there is no deadline",
        arguments: seeds
    )
    func lastWish(_ seed: UInt64) {
        let (history, last) = Self.history(seed: seed)
        #expect(history.changes.last?.content == last)
        if last == nil { #expect(history.deadline == nil) }
    }

    @Test("Advertising ends only after a whole withdrawal", arguments: seeds)
    func farewell(_ seed: UInt64) {
        let changes = Self.history(seed: seed).history.changes
        for (earlier, later) in zip(changes, changes.dropFirst()) where later.content == nil {
            #expect(earlier.content == .withdrawal)
            #expect(later.at - earlier.at >= AdvertisementPacer.withdrawalDuration)
        }
    }

    @Test("Every deadline is in the future, and few are needed", arguments: seeds)
    func deadlines(_ seed: UInt64) {
        let history = Self.history(seed: seed).history
        #expect(!history.hasStalled)
        // One for a change, one for what follows from it: the end of freshness or of a withdrawal; and the slots.
        #expect(history.wakeUps <= 2 * history.changes.count + 2)
    }
}
