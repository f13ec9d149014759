import HandoffCore
import HandoffModel
import TestLimits
import Testing

@Suite("A clock that is far off is detected and reported", .endsWithin(minutes: 10))
struct ClockSkewDetectorTests {
    private var detector = ClockSkewDetector()

    @Test("The skew is checked at a limited rate, however much is heard")
    mutating func budget() {
        let checks = (0..<200).compactMap { detector.beginCheck(at: .seconds($0)) }
        #expect(checks == Array(0..<10))
    }

    @Test("A skew is new once, until it changes, is corrected, or was not found for ten minutes")
    mutating func news() throws {
        let device = try DeviceID.sample(1)
        var isNew: [Bool] = []
        isNew.append(detector.recordSkew(of: device, bySlots: 8, at: .seconds(0)))
        isNew.append(detector.recordSkew(of: device, bySlots: 8, at: .seconds(100)))
        #expect(detector.skewedDevices(at: .seconds(100)).map(\.slots) == [8])
        isNew.append(detector.recordSkew(of: device, bySlots: -8, at: .seconds(200)))
        detector.clearSkew(of: device)
        #expect(detector.skewedDevices(at: .seconds(200)).isEmpty)
        isNew.append(detector.recordSkew(of: device, bySlots: -8, at: .seconds(300)))
        #expect(detector.skewedDevices(at: .seconds(900)).isEmpty)
        isNew.append(detector.recordSkew(of: device, bySlots: -8, at: .seconds(901)))
        #expect(isNew == [true, false, true, true, true])
    }

    @Test(
        "The explanation has the device, the size and direction of its skew, and the remedy",
        arguments: [(2, "30 minutes ahead of"), (-8, "2 hours behind")]
    )
    func sentence(slots: Int, words: String) {
        let sentence = ClockSkewDetector.explanation(of: "laptop", slots: slots)
        #expect(sentence.contains("laptop is about \(words) this one"))
        #expect(sentence.contains("set both"))
    }
}
