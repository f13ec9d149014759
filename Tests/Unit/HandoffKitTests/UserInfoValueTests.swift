import FoundationEssentials
import HandoffModel
import TestLimits
import Testing

@testable import HandoffKit

@Suite("Values of userInfo in Swift", .endsWithin(minutes: 10))
struct UserInfoValueTests {
    @Test("Literals are values, and each is read as its own kind and as no other")
    func literals() {
        let userInfo: [String: HandoffKit.UserInfoValue] = [
            "none": nil, "truth": true, "whole": 1, "real": 1.0, "text": "a", "list": [1, "b"], "more": ["c": 2],
        ]
        #expect(userInfo["none"]?.isNull == true)
        #expect(userInfo["truth"]?.boolean == true)
        #expect(userInfo["truth"]?.integer == nil)
        #expect(userInfo["whole"]?.integer == 1)
        #expect(userInfo["whole"]?.real == nil)
        #expect(userInfo["real"]?.real == 1)
        #expect(userInfo["real"]?.integer == nil)
        #expect(userInfo["text"]?.string == "a")
        #expect(userInfo["text"]?.url == nil)
        #expect(userInfo["list"]?.array == [1, "b"])
        #expect(userInfo["more"]?.dictionary == ["c": 2])
    }

    @Test("Values without a literal are created by name")
    func names() {
        #expect(HandoffKit.UserInfoValue.data([1, 2]).data == [1, 2])
        #expect(HandoffKit.UserInfoValue.url("about:blank").url == "about:blank")
        #expect(HandoffKit.UserInfoValue.set([1, 2]).set == [2, 1])
        #expect(HandoffKit.UserInfoValue.unsigned(.max).unsigned == .max)
        #expect(HandoffKit.UserInfoValue.unsigned(.max).integer == nil)
        #expect(HandoffKit.UserInfoValue.unsigned(1) == 1)
    }

    @Test(
        "A date is converted back within 200 ns, and one beyond all years becomes the nearest year",
        arguments: [0, 1.5, -1.5, 1_795_000_000.123_456_7, -62_000_000_000.25]
    )
    func dates(seconds: Double) throws {
        let date = try #require(HandoffKit.UserInfoValue.date(Date(timeIntervalSince1970: seconds)).date)
        #expect(abs(date.timeIntervalSince1970 - seconds) < 2e-7)
        for extreme in [Double.infinity, -.infinity, .nan, 1e300] {
            let value = HandoffKit.UserInfoValue.date(Date(timeIntervalSince1970: extreme))
            #expect(value.date?.timeIntervalSince1970.isFinite == true)
        }
    }
}
