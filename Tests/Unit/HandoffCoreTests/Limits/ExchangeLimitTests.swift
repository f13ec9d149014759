import HandoffCore
import TestLimits
import Testing

@Suite("A device can begin a limited number of exchanges of circles", .endsWithin(minutes: 10))
struct ExchangeLimitTests {
    @Test("Those of one device are limited for a quarter of an hour, and take nothing from another one")
    func limit() throws {
        var limit = ExchangeLimit()
        for number in 0..<ExchangeLimit.maximum {
            #expect(limit.admit(try .sample(1), at: .seconds(number)))
        }
        #expect(limit.admit(try .sample(1), at: .seconds(800)) == false)
        #expect(limit.admit(try .sample(2), at: .seconds(800)))
        #expect(limit.admit(try .sample(1), at: .seconds(899)) == false)
        #expect(limit.admit(try .sample(1), at: .seconds(900)))
    }
}
