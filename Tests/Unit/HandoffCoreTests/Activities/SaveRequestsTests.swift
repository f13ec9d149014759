@testable import HandoffCore
import HandoffModel
import HandoffTestVectors
import TestLimits
import Testing

@Suite("An app gets one save request, which is awaited until a deadline", .endsWithin(minutes: 10))
struct SaveRequestsTests {
    var requests = SaveRequests()

    private static let justBefore = 2.999
    private static let timeout = 3.0

    @Test("A save request is awaited and open until the app answers")
    mutating func answered() {
        let saveRequest = requests.begin(7, at: .start(0))
        #expect(requests.isOpen(7) && requests.isAwaited(7))
        #expect(!requests.isOpen(8))
        #expect(requests.nextDeadline == .seconds(3))
        #expect(requests.expire(at: .start(Self.justBefore)) == [])
        #expect(requests.end(saveRequest) == true)
        #expect(!requests.isOpen(7) && !requests.isAwaited(7))
        #expect(requests.nextDeadline == nil)
        #expect(requests.completions == 1)
    }

    @Test("A late app is no longer awaited, is reported once, and may still answer")
    mutating func late() {
        let saveRequest = requests.begin(7, at: .start(0))
        #expect(requests.expire(at: .start(Self.timeout)) == [7])
        #expect(requests.isOpen(7) && !requests.isAwaited(7))
        #expect(requests.expire(at: .start(Self.timeout)) == [])
        #expect(requests.nextDeadline == nil)
        #expect(requests.completions == 1)
        #expect(requests.end(saveRequest) == true)
        #expect(!requests.isOpen(7))
        #expect(requests.completions == 1, "nothing was awaited any more")
    }

    @Test("An answer to an earlier save request does not end a later one")
    mutating func stale() {
        let first = requests.begin(7, at: .start(0))
        requests.remove(7)
        #expect(requests.end(first) == false)
        let second = requests.begin(7, at: .start(1))
        #expect(requests.end(first) == false)
        #expect(requests.isAwaited(7))
        #expect(requests.end(second) == true)
        #expect(requests.end(second) == false)
    }

    @Test("Each activity has its own deadline, and the nearest is the next")
    mutating func several() {
        for id in UInt64(1)...3 { _ = requests.begin(ActivityID(rawValue: id), at: .start(Double(id))) }
        #expect(requests.nextDeadline == .seconds(4))
        #expect(requests.expire(at: .start(5)) == [1, 2])
        #expect(requests.nextDeadline == .seconds(6))
        requests.remove(3)
        #expect(requests.nextDeadline == nil)
        #expect(requests.completions == 3)
    }

    @Test("In any history, no wait lasts beyond the deadline, and each end of a wait is counted once")
    func anyHistory() {
        for seed in UInt64(0)..<500 {
            var random = SeededRandom(seed: seed)
            var (requests, now, begun) = (SaveRequests(), 0.0, [SaveRequests.Request]())
            var awaited: [ActivityID: Double] = [:]
            var completions: UInt64 = 0
            for _ in 0..<60 {
                now += Double.random(in: 0...2, using: &random)
                let id = ActivityID(rawValue: .random(in: 1...3, using: &random))
                let before = awaited.count
                for late in requests.expire(at: .start(now)) { awaited[late] = nil }
                completions += UInt64(before - awaited.count)
                #expect(awaited.values.allSatisfy { $0 > now - 3.001 }, "seed \(seed)")
                switch Int.random(in: 0..<3, using: &random) {
                case 0 where !requests.isOpen(id):
                    begun.append(requests.begin(id, at: .start(now)))
                    awaited[id] = now
                case 1:
                    guard let saveRequest = begun.randomElement(using: &random), requests.end(saveRequest) else {
                        continue
                    }
                    if awaited.removeValue(forKey: saveRequest.activity) != nil { completions += 1 }
                default:
                    requests.remove(id)
                    if awaited.removeValue(forKey: id) != nil { completions += 1 }
                }
                #expect(requests.completions == completions, "seed \(seed)")
                for id in [1, 2, 3] as [ActivityID] {
                    #expect(requests.isAwaited(id) == (awaited[id] != nil), "seed \(seed)")
                }
            }
        }
    }
}
