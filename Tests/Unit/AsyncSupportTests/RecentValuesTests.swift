import AsyncSupport
import TestLimits
import Testing

@Suite("The values that were added since they were taken", .endsWithin(minutes: 10))
struct RecentValuesTests {
    @Test("They keep their order, equal ones count once, the oldest ones are dropped, and each is taken once")
    func order() {
        let values = RecentValues<Int>(limit: 3)
        for value in [1, 2, 1] { values.add(value) }
        #expect(values.take() == [2, 1])
        #expect(values.take() == [])
        for value in 1...5 { values.add(value) }
        #expect(values.take() == [3, 4, 5])
    }
}
