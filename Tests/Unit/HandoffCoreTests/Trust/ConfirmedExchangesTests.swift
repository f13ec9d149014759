import HandoffCore
import HandoffModel
import TestLimits
import Testing

@Suite("An exchange with a member is due until it was completed in this run", .endsWithin(minutes: 10))
struct ConfirmedExchangesTests {
    private let (one, other): (DeviceID, DeviceID)
    private var exchanges = ConfirmedExchanges()

    init() throws {
        (one, other) = (try DeviceID("1111111111111111"), try DeviceID("2222222222222222"))
    }

    private func due(at seconds: Int) -> [DeviceID] {
        [one, other].filter { exchanges.isDue(with: $0, at: .seconds(seconds)) }
    }

    @Test("At the start it is due with each of them, and then no more with whom it was completed")
    mutating func start() {
        #expect(due(at: 0) == [one, other])
        exchanges.complete(with: one, at: .seconds(1))
        #expect(due(at: 2) == [other])
    }

    @Test("A day later it is due again, at an instant that is known before")
    mutating func daily() {
        exchanges.complete(with: one, at: .seconds(10))
        exchanges.complete(with: other, at: .seconds(20))
        #expect(due(at: 86_409).isEmpty)
        #expect(exchanges.nextDue(after: .seconds(30)) == .seconds(86_410))
        #expect(due(at: 86_410) == [one])
        #expect(exchanges.nextDue(after: .seconds(86_410)) == .seconds(86_420))
        #expect(exchanges.nextDue(after: .seconds(86_420)) == nil)
    }

    @Test("After the clock was set it is due with each of them")
    mutating func clock() {
        exchanges.complete(with: one, at: .seconds(10))
        exchanges.clockWasSet()
        #expect(due(at: 11) == [one, other])
    }

    @Test("When somebody comes, it is due with whom it was completed more than an hour ago")
    mutating func arrival() {
        exchanges.complete(with: one, at: .seconds(10))
        exchanges.complete(with: other, at: .seconds(20))
        exchanges.somebodyCame(at: .seconds(3610))
        #expect(due(at: 3611) == [one])
    }

    @Test("A device that is trusted again after its removal is one with which none was completed")
    mutating func removal() {
        exchanges.complete(with: one, at: .seconds(10))
        exchanges.forget(one)
        #expect(due(at: 11) == [one, other])
    }
}
