import HandoffCore
import TestLimits
import Testing

@Suite("Moments", .endsWithin(minutes: 10))
struct MomentTests {
    @Test(
        "A moment lies in a slot of 15 minutes",
        arguments: [(0, 0), (899_999_999, 0), (900_000_000, 1), (6_300_000_001, 7), (-5, 0), (.min, 0)]
            as [(Int64, UInt64)]
    )
    func slot(microseconds: Int64, slot: UInt64) {
        #expect(Moment(uptime: .zero, unixMicroseconds: microseconds).slot == slot)
    }

    @Test(
        "A moment is always some time before the next slot",
        arguments: [0, 1, 899_999_999, 900_000_000, -1, .min] as [Int64]
    )
    func nextSlot(microseconds: Int64) {
        let moment = Moment(uptime: .zero, unixMicroseconds: microseconds)
        #expect(moment.timeToNextSlot > .zero)
        #expect(moment.timeToNextSlot <= .seconds(900))
        if microseconds >= 0 { #expect(moment.advanced(by: moment.timeToNextSlot).slot == moment.slot + 1) }
    }

    @Test("Advancing a moment moves both clocks alike")
    func advance() {
        let moment = Moment(uptime: .seconds(5), unixMicroseconds: 10).advanced(by: .milliseconds(1500))
        #expect(moment == Moment(uptime: .milliseconds(6500), unixMicroseconds: 1_500_010))
    }
}
