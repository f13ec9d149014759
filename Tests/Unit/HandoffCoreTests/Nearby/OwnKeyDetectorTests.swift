import HandoffCore
import TestLimits
import Testing

@Suite("Advertisements under the own key are a hint", .endsWithin(minutes: 10))
struct OwnKeyDetectorTests {
    private var detector = OwnKeyDetector(startSlot: 10)

    @Test("Advertisements of the slot of the start, and of earlier ones, are ignored")
    mutating func beforeTheStart() {
        let early = (UInt64(0)...10).map { detector.recordForeign(slot: $0, at: .seconds(1)) }
        #expect(!early.contains(true))
        #expect(!detector.isSuspected(at: .seconds(1)))
        let later = detector.recordForeign(slot: 11, at: .seconds(1))
        #expect(later)
    }

    @Test("A hint is new once, and expires an hour after the last advertisement")
    mutating func expiry() {
        var isNew = [detector.recordForeign(slot: 11, at: .seconds(0))]
        isNew.append(detector.recordForeign(slot: 12, at: .seconds(1000)))
        #expect(detector.isSuspected(at: .seconds(4599)))
        #expect(!detector.isSuspected(at: .seconds(4600)))
        isNew.append(detector.recordForeign(slot: 20, at: .seconds(5000)))
        #expect(isNew == [true, false, true])
    }
}
