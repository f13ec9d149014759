import HandoffCore
import HandoffTestVectors
import TestLimits
import Testing

@Suite("Room for peers of whom nothing is known", .endsWithin(minutes: 10))
struct AdmissionControlTests {
    @Test("everybody sits while there is room")
    func room() {
        var admission = AdmissionControl<String>(limit: 3)
        for owner in ["a", "a", "b"] { #expect(admission.admit(owner).evicted == nil) }
        #expect(admission.count == 3)
    }

    @Test("a crowd under one name displaces itself, the longest stay first, and nobody else")
    func crowd() {
        var admission = AdmissionControl<String>(limit: 3)
        let honest = admission.admit("honest").id
        var crowd = [admission.admit("crowd").id, admission.admit("crowd").id]
        for _ in 0..<100 {
            let (id, evicted) = admission.admit("crowd")
            #expect(evicted == crowd.removeFirst())
            #expect(evicted != honest)
            crowd.append(id)
        }
    }

    @Test("a newcomer always gets a seat: a crowd under many names gives way in the order in which it came")
    func manyNames() {
        var admission = AdmissionControl<Int>(limit: 16)
        let first = (0..<16).map { admission.admit($0).id }
        #expect((16..<32).map { admission.admit($0).evicted } == first.map(Optional.some))
    }

    @Test("a seat that was given back is free, and giving back one that was lost changes nothing")
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

    @Test("there are never more than there is room for", arguments: 0..<20)
    func bound(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var admission = AdmissionControl<Int>(limit: 5)
        var sitting: Set<AdmissionControl<Int>.ID> = []
        for _ in 0..<500 {
            if Bool.random(using: &random), let id = sitting.randomElement(using: &random) {
                admission.release(id)
                sitting.remove(id)
            } else {
                let (id, evicted) = admission.admit(.random(in: 0..<4, using: &random))
                sitting.insert(id)
                if let evicted { #expect(sitting.remove(evicted) != nil) }
            }
            #expect(admission.count == sitting.count)
            #expect(admission.count <= 5)
        }
    }
}

@Suite("Lines of the log that strangers can cause", .endsWithin(minutes: 10))
struct LogRateLimiterTests {
    @Test("the first is told at once, the others once a minute, with their number")
    func flood() {
        var budget = LogRateLimiter()
        #expect(budget.recordEvent(at: .seconds(5)) == 1)
        for second in 6..<65 { #expect(budget.recordEvent(at: .seconds(second)) == nil) }
        #expect(budget.recordEvent(at: .seconds(65)) == 60)
        #expect(budget.recordEvent(at: .seconds(66)) == nil)
        #expect(budget.recordEvent(at: .seconds(1000)) == 2)
    }
}
