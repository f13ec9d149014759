import HandoffCore
import HandoffTestVectors
import TestLimits
import Testing

@Suite("Room for peers of whom nothing is known", .endsWithin(minutes: 10))
struct SeatsTests {
    @Test("everybody sits while there is room")
    func room() {
        var seats = Seats<String>(limit: 3)
        for owner in ["a", "a", "b"] { #expect(seats.take(by: owner).displaced == nil) }
        #expect(seats.count == 3)
    }

    @Test("a crowd under one name displaces itself, the longest stay first, and nobody else")
    func crowd() {
        var seats = Seats<String>(limit: 3)
        let honest = seats.take(by: "honest").id
        var crowd = [seats.take(by: "crowd").id, seats.take(by: "crowd").id]
        for _ in 0..<100 {
            let (id, displaced) = seats.take(by: "crowd")
            #expect(displaced == crowd.removeFirst())
            #expect(displaced != honest)
            crowd.append(id)
        }
    }

    @Test("a newcomer always gets a seat: a crowd under many names gives way in the order in which it came")
    func manyNames() {
        var seats = Seats<Int>(limit: 16)
        let first = (0..<16).map { seats.take(by: $0).id }
        #expect((16..<32).map { seats.take(by: $0).displaced } == first.map(Optional.some))
    }

    @Test("a seat that was given back is free, and giving back one that was lost changes nothing")
    func leaving() {
        var seats = Seats<String>(limit: 1)
        let first = seats.take(by: "a").id
        let (second, displaced) = seats.take(by: "b")
        #expect(displaced == first)
        seats.leave(first)
        #expect(seats.count == 1)
        seats.leave(second)
        #expect(seats.count == 0)
        #expect(seats.take(by: "c").displaced == nil)
    }

    @Test("there are never more than there is room for", arguments: 0..<20)
    func bound(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var seats = Seats<Int>(limit: 5)
        var sitting: Set<Seats<Int>.ID> = []
        for _ in 0..<500 {
            if Bool.random(using: &random), let id = sitting.randomElement(using: &random) {
                seats.leave(id)
                sitting.remove(id)
            } else {
                let (id, displaced) = seats.take(by: .random(in: 0..<4, using: &random))
                sitting.insert(id)
                if let displaced { #expect(sitting.remove(displaced) != nil) }
            }
            #expect(seats.count == sitting.count)
            #expect(seats.count <= 5)
        }
    }
}

@Suite("Lines of the log that strangers can cause", .endsWithin(minutes: 10))
struct LogBudgetTests {
    @Test("the first is told at once, the others once a minute, with their number")
    func flood() {
        var budget = LogBudget()
        #expect(budget.spend(at: .seconds(5)) == 1)
        for second in 6..<65 { #expect(budget.spend(at: .seconds(second)) == nil) }
        #expect(budget.spend(at: .seconds(65)) == 60)
        #expect(budget.spend(at: .seconds(66)) == nil)
        #expect(budget.spend(at: .seconds(1000)) == 2)
    }
}
