import HandoffCore
import HandoffTestVectors
import TestLimits
import Testing

@Suite("A device scans as much as somebody needs it, and no more", .endsWithin(minutes: 10))
struct ScanPolicyTests {
    @Test(
        "The less of the circle is heard, the rarer the windows are",
        arguments: [
            (silence: 0, rest: 3), (119, 3), (120, 14), (599, 14), (600, 59), (86400, 59),
        ]
    )
    func silence(_ silence: Int64, _ rest: Int64) {
        var policy = ScanPolicy(at: .zero)
        policy.heard(at: .seconds(1000))
        let effort = policy.effort(in: .init(), at: .seconds(1000 + silence)).effort
        #expect(effort == .windows(rest: .seconds(rest)))
    }

    @Test("At rest less than 3 % of the time is spent in windows")
    func budget() {
        let policy = ScanPolicy(at: .zero)
        guard case .windows(let rest) = policy.effort(in: .init(), at: .seconds(3600)).effort else {
            Issue.record("a device at rest scans in windows")
            return
        }
        #expect(ScanPolicy.window / (ScanPolicy.window + rest) <= 0.03)
    }

    @Test("Who has just come sees everything at once, for ten seconds")
    func arrival() {
        var policy = ScanPolicy(at: .zero)
        policy.arrived(at: .seconds(5000))
        #expect(policy.effort(in: .init(), at: .seconds(5009)) == (.continuous, .seconds(5010)))
        #expect(policy.effort(in: .init(), at: .seconds(5010)) == (.windows(rest: .seconds(3)), .seconds(5120)))
    }

    @Test("Who looks sees everything, also while sound plays, and a session that nobody uses does not scan")
    func situations() {
        var policy = ScanPolicy(at: .zero)
        policy.arrived(at: .zero)
        #expect(policy.effort(in: .init(isLooking: true, isPlayingAudio: true), at: .zero).effort == .continuous)
        #expect(policy.effort(in: .init(isLooking: true, isAway: true), at: .zero).effort == .continuous)
        #expect(policy.effort(in: .init(isAway: true), at: .zero).effort == .none)
        #expect(policy.effort(in: .init(isPlayingAudio: true), at: .zero).effort == .none)
    }

    @Test("The effort changes at the announced time and not before", arguments: 0..<20)
    func announced(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var policy = ScanPolicy(at: .zero)
        var now = Duration.zero
        for _ in 0..<200 {
            switch Int.random(in: 0..<4, using: &random) {
            case 0: policy.heard(at: now)
            case 1: policy.arrived(at: now)
            default: break
            }
            let (effort, until) = policy.effort(in: .init(), at: now)
            if let until {
                #expect(until > now)
                #expect(policy.effort(in: .init(), at: until - .nanoseconds(1)).effort == effort)
                #expect(policy.effort(in: .init(), at: until).effort != effort)
            }
            now += .milliseconds(Int.random(in: 1...400_000, using: &random))
        }
    }
}
