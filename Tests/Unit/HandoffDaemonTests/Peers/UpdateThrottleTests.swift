import HandoffCore
import Testing
import TestLimits

@testable import HandoffDaemon

@Suite("The rate at which a device is called for circle updates", .endsWithin(minutes: 10))
struct UpdateThrottleTests {
    private func moment(_ seconds: Int64) -> Moment {
        Moment(uptime: .seconds(seconds), unixMicroseconds: 1_800_000_000_000_000 + seconds * 1_000_000)
    }

    @Test("A device is not called without a circle update or an invitation, and once in a slot with an update")
    func news() {
        var throttle = UpdateThrottle()
        let results = [
            throttle.shouldCall(at: moment(0), hasUpdate: false), throttle.shouldCall(at: moment(1), hasUpdate: true),
            throttle.shouldCall(at: moment(2), hasUpdate: true), throttle.shouldCall(at: moment(899), hasUpdate: true),
            throttle.shouldCall(at: moment(900), hasUpdate: true),
        ]
        #expect(results == [false, true, false, false, true])
    }

    @Test("An invitation is followed three times in a slot, whatever is replayed, and not right after a call")
    func invitations() {
        var throttle = UpdateThrottle()
        var followed: [Int64] = []
        for second in 0..<Int64(900) {
            throttle.recordInvitation(at: moment(second))
            if throttle.shouldCall(at: moment(second), hasUpdate: false) { followed.append(second) }
        }
        #expect(followed == [0, 10, 20])
    }

    @Test("News allow three more invitations, four times in a slot, so that many old copies are put right in one")
    func invitationsWithNews() {
        var throttle = UpdateThrottle()
        var followed = 0
        for second in 0..<Int64(900) {
            throttle.recordInvitation(at: moment(second))
            guard throttle.shouldCall(at: moment(second), hasUpdate: false) else { continue }
            followed += 1
            if followed.isMultiple(of: 3) { throttle.recordNews() }
        }
        #expect(followed == 15)
        throttle.recordInvitation(at: moment(900))
        let isFollowed = throttle.shouldCall(at: moment(900), hasUpdate: false)
        #expect(isFollowed, "the next slot begins anew")
    }

    @Test("When somebody comes, a device with an update is called once more, and no more invitations are followed")
    func arrival() {
        var throttle = UpdateThrottle()
        var called = [throttle.shouldCall(at: moment(0), hasUpdate: true)]
        var followed: [Int64] = []
        for second in Int64(1)..<300 {
            throttle.recordInvitation(at: moment(second))
            if throttle.shouldCall(at: moment(second), hasUpdate: false) { followed.append(second) }
        }
        #expect(followed == [10, 20, 30])
        throttle.somebodyCame()
        called += [true, true].enumerated().map {
            throttle.shouldCall(at: moment(300 + Int64($0.offset)), hasUpdate: $0.element)
        }
        throttle.recordInvitation(at: moment(320))
        called.append(throttle.shouldCall(at: moment(320), hasUpdate: false))
        #expect(called == [true, true, false, false])
    }
}
