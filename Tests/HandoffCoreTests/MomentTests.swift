import HandoffCore
import Testing

@Suite("A moment knows its slot")
struct MomentTests {
    @Test(
        "slots are 15 minutes long and counted from 1970",
        arguments: [
            (unixMicroseconds: Int64(0), slot: UInt64(0)), (899_999_999, 0), (900_000_000, 1), (1_799_999_999, 1),
            (1_800_000_000, 2), (Int64.max, UInt64(Int64.max) / 900_000_000),
        ]
    )
    func slots(_ unixMicroseconds: Int64, _ slot: UInt64) {
        #expect(Moment(uptime: .zero, unixMicroseconds: unixMicroseconds).slot == slot)
    }

    @Test("a clock before 1970 counts as slot 0", arguments: [-1, -900_000_001, Int64.min])
    func beforeTheBeginning(_ unixMicroseconds: Int64) {
        let moment = Moment(uptime: .zero, unixMicroseconds: unixMicroseconds)
        #expect(moment.slot == 0)
        #expect(moment.timeToNextSlot > .zero)
    }

    @Test(
        "the time to the next slot ends in it, and not before",
        arguments: [0, 1, 899_999_999, 900_000_000, 1_234_567_890_123_456]
    )
    func timeToTheNextSlot(_ unixMicroseconds: Int64) {
        let moment = Moment(uptime: .seconds(7), unixMicroseconds: unixMicroseconds)
        let next = moment.advanced(by: moment.timeToNextSlot)
        #expect(next.slot == moment.slot + 1)
        #expect(moment.advanced(by: moment.timeToNextSlot - .microseconds(1)).slot == moment.slot)
    }

    @Test("an instant later is later by both clocks")
    func advancing() {
        let moment = Moment(uptime: .seconds(3), unixMicroseconds: 10).advanced(by: .microseconds(2_500_000))
        #expect(moment == Moment(uptime: .microseconds(5_500_000), unixMicroseconds: 2_500_010))
    }
}
