@testable import HandoffCore
import HandoffTestVectors
import TestLimits
import Testing

@Suite("An app is asked to save once, and waited for a while", .endsWithin(minutes: 10))
struct SaveRoundsTests {
    var rounds = SaveRounds()

    private static let justBefore = 2.999
    private static let patience = 3.0

    @Test("a round is awaited until the app answers, and open no longer")
    mutating func answered() {
        let round = rounds.begin(7, at: .start(0))
        #expect(rounds.isOpen(7) && rounds.isAwaited(7))
        #expect(!rounds.isOpen(8))
        #expect(rounds.nextDeadline == .seconds(3))
        #expect(rounds.expire(at: .start(Self.justBefore)) == [])
        #expect(rounds.end(round) == true)
        #expect(!rounds.isOpen(7) && !rounds.isAwaited(7))
        #expect(rounds.nextDeadline == nil)
        #expect(rounds.endings == 1)
    }

    @Test("an app that is late is awaited no more, told once, and not forgotten")
    mutating func late() {
        let round = rounds.begin(7, at: .start(0))
        #expect(rounds.expire(at: .start(Self.patience)) == [7])
        #expect(rounds.isOpen(7) && !rounds.isAwaited(7))
        #expect(rounds.expire(at: .start(Self.patience)) == [])
        #expect(rounds.nextDeadline == nil)
        #expect(rounds.endings == 1)
        #expect(rounds.end(round) == true)
        #expect(!rounds.isOpen(7))
        #expect(rounds.endings == 1, "nobody waited")
    }

    @Test("an answer to an earlier round ends none")
    mutating func stale() {
        let first = rounds.begin(7, at: .start(0))
        rounds.remove(7)
        #expect(rounds.end(first) == false)
        let second = rounds.begin(7, at: .start(1))
        #expect(rounds.end(first) == false)
        #expect(rounds.isAwaited(7))
        #expect(rounds.end(second) == true)
        #expect(rounds.end(second) == false)
    }

    @Test("each activity has its own deadline, and the nearest is the next")
    mutating func several() {
        for id in UInt64(1)...3 { _ = rounds.begin(id, at: .start(Double(id))) }
        #expect(rounds.nextDeadline == .seconds(4))
        #expect(rounds.expire(at: .start(5)) == [1, 2])
        #expect(rounds.nextDeadline == .seconds(6))
        rounds.remove(3)
        #expect(rounds.nextDeadline == nil)
        #expect(rounds.endings == 3)
    }

    @Test("whatever happens, nobody waits beyond the deadline, and each end of waiting is counted once")
    func anyHistory() {
        for seed in UInt64(0)..<500 {
            var random = SeededRandom(seed: seed)
            var (rounds, now, begun) = (SaveRounds(), 0.0, [SaveRounds.Round]())
            var awaited: [UInt64: Double] = [:]
            var endings: UInt64 = 0
            for _ in 0..<60 {
                now += Double.random(in: 0...2, using: &random)
                let id = UInt64.random(in: 1...3, using: &random)
                let before = awaited.count
                for late in rounds.expire(at: .start(now)) { awaited[late] = nil }
                endings += UInt64(before - awaited.count)
                #expect(awaited.values.allSatisfy { $0 > now - 3.001 }, "seed \(seed)")
                switch Int.random(in: 0..<3, using: &random) {
                case 0 where !rounds.isOpen(id):
                    begun.append(rounds.begin(id, at: .start(now)))
                    awaited[id] = now
                case 1:
                    guard let round = begun.randomElement(using: &random), rounds.end(round) else { continue }
                    if awaited.removeValue(forKey: round.activity) != nil { endings += 1 }
                default:
                    rounds.remove(id)
                    if awaited.removeValue(forKey: id) != nil { endings += 1 }
                }
                #expect(rounds.endings == endings, "seed \(seed)")
                for id in UInt64(1)...3 { #expect(rounds.isAwaited(id) == (awaited[id] != nil), "seed \(seed)") }
            }
        }
    }
}
