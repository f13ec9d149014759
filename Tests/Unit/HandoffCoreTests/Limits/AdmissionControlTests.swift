import HandoffCore
import HandoffTestVectors
import TestLimits
import Testing

@Suite("Admission slots for unauthenticated peers", .endsWithin(minutes: 10))
struct AdmissionControlTests {
    @Test("Every peer is admitted while slots are free")
    func room() {
        var admission = AdmissionControl<String>(limit: 3)
        for owner in ["a", "a", "b"] { #expect(admission.admit(owner).evicted == nil) }
        #expect(admission.count == 3)
    }

    @Test("Many connections of one owner evict only each other, the oldest first")
    func crowd() {
        var admission = AdmissionControl<String>(limit: 3)
        let honest = admission.admit("honest").id
        var connections = [admission.admit("crowd").id, admission.admit("crowd").id]
        for _ in 0..<100 {
            let (id, evicted) = admission.admit("crowd")
            #expect(evicted == connections.removeFirst())
            #expect(evicted != honest)
            connections.append(id)
        }
    }

    @Test("A new peer is always admitted: connections of many owners are evicted in the order in which they came")
    func manyNames() {
        var admission = AdmissionControl<Int>(limit: 16)
        let first = (0..<16).map { admission.admit($0).id }
        #expect((16..<32).map { admission.admit($0).evicted } == first.map(Optional.some))
    }

    @Test("A released slot is free, and releasing a slot that was evicted changes nothing")
    func leaving() {
        var admission = AdmissionControl<String>(limit: 1)
        let first = admission.admit("a").id
        let (second, evicted) = admission.admit("b")
        #expect(evicted == first)
        admission.release(first)
        #expect(admission.count == 1)
        admission.release(second)
        #expect(admission.count == 0)
        #expect(admission.admit("c").evicted == nil)
    }

    @Test("The number of admitted peers never exceeds the limit", arguments: 0..<20)
    func bound(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var admission = AdmissionControl<Int>(limit: 5)
        var admitted: Set<AdmissionControl<Int>.ID> = []
        for _ in 0..<500 {
            if Bool.random(using: &random), let id = admitted.randomElement(using: &random) {
                admission.release(id)
                admitted.remove(id)
            } else {
                let (id, evicted) = admission.admit(.random(in: 0..<4, using: &random))
                admitted.insert(id)
                if let evicted { #expect(admitted.remove(evicted) != nil) }
            }
            #expect(admission.count == admitted.count)
            #expect(admission.count <= 5)
        }
    }
}

@Suite("Log lines that unauthenticated peers can cause", .endsWithin(minutes: 10))
struct LogRateLimiterTests {
    @Test("The first event is logged at once, and the others once a minute, with their number")
    func flood() {
        var limiter = LogRateLimiter()
        #expect(limiter.recordEvent(at: .seconds(5)) == 1)
        for second in 6..<65 { #expect(limiter.recordEvent(at: .seconds(second)) == nil) }
        #expect(limiter.recordEvent(at: .seconds(65)) == 60)
        #expect(limiter.recordEvent(at: .seconds(66)) == nil)
        #expect(limiter.recordEvent(at: .seconds(1000)) == 2)
    }

    @Test("With several lines, any minute has at most so many, and their numbers add up", arguments: 0..<50)
    func several(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var limiter = LogRateLimiter(lines: 3)
        var (time, events, told) = (Duration.zero, 0, 0)
        var lines: [Duration] = []
        for _ in 0..<300 {
            time += .milliseconds(Int.random(in: 0...20_000, using: &random))
            events += 1
            guard let count = limiter.recordEvent(at: time) else { continue }
            told += count
            #expect(told == events)
            lines.append(time)
        }
        #expect(lines.count > 3)
        for (first, fourth) in zip(lines, lines.dropFirst(3)) { #expect(fourth - first >= LogRateLimiter.interval) }
    }
}
