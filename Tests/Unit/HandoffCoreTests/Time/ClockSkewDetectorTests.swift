import HandoffCore
import HandoffModel
import TestLimits
import Testing

@Suite("A clock that is far off is found and told", .endsWithin(minutes: 10))
struct ClockSkewDetectorTests {
    private var clocks = ClockSkewDetector()

    @Test("a closer look is taken now and then, however much is heard")
    mutating func budget() {
        var looks = 0
        for second in 0..<200 where clocks.shouldCheck(at: .seconds(second)) { looks += 1 }
        #expect(looks == 10)
    }

    @Test("what is found is news once, until it changes, is right again, or was not found for ten minutes")
    mutating func news() throws {
        let device = try DeviceID.sample(1)
        var news: [Bool] = []
        news.append(clocks.recordSkew(of: device, bySlots: 8, at: .seconds(0)))
        news.append(clocks.recordSkew(of: device, bySlots: 8, at: .seconds(100)))
        #expect(clocks.skewedDevices(at: .seconds(100)).map(\.slots) == [8])
        news.append(clocks.recordSkew(of: device, bySlots: -8, at: .seconds(200)))
        clocks.clearSkew(of: device)
        #expect(clocks.skewedDevices(at: .seconds(200)).isEmpty)
        news.append(clocks.recordSkew(of: device, bySlots: -8, at: .seconds(300)))
        #expect(clocks.skewedDevices(at: .seconds(900)).isEmpty)
        news.append(clocks.recordSkew(of: device, bySlots: -8, at: .seconds(901)))
        #expect(news == [true, false, true, true, true])
    }

    @Test(
        "the sentence names the device, how far, which way, and what to do",
        arguments: [(2, "30 minutes ahead of"), (-8, "2 hours behind")]
    )
    func sentence(slots: Int, words: String) {
        let sentence = ClockSkewDetector.explanation(of: "laptop", slots: slots)
        #expect(sentence.contains("laptop is about \(words) this one"))
        #expect(sentence.contains("set both"))
    }
}
