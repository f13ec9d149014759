import HandoffCore
import HandoffTestVectors
import TestLimits
import Testing

@Suite("A device scans as much as somebody needs it, and no more", .endsWithin(minutes: 10))
struct ScanPolicyTests {
    @Test(
        "The less of the circle is heard, the rarer the windows are",
        arguments: [
            (silence: 0, rest: 3), (119, 3), (120, 14), (599, 14), (600, 89), (86400, 89),
        ]
    )
    func silence(_ silence: Int64, _ rest: Int64) {
        var policy = ScanPolicy(at: .zero)
        policy.heard(at: .seconds(1000))
        let effort = policy.decision(in: .init(), at: .seconds(1000 + silence)).effort
        #expect(effort == .windows(rest: .seconds(rest)))
    }

    @Test("At rest less than 3 % of the time is spent in windows")
    func budget() {
        let policy = ScanPolicy(at: .zero)
        guard case .windows(let rest) = policy.decision(in: .init(), at: .seconds(3600)).effort else {
            Issue.record("a device at rest scans in windows")
            return
        }
        #expect(ScanPolicy.window / (ScanPolicy.window + rest) <= 0.03)
    }

    @Test("Who has just come sees everything at once, for ten seconds")
    func arrival() {
        var policy = ScanPolicy(at: .zero)
        policy.arrived(at: .seconds(5000))
        let come = policy.decision(in: .init(), at: .seconds(5009))
        let stayed = policy.decision(in: .init(), at: .seconds(5010))
        #expect((come.effort, come.until) == (.continuous, .seconds(5010)))
        #expect((stayed.effort, stayed.until) == (.windows(rest: .seconds(3)), .seconds(5120)))
    }

    @Test("Who looks sees everything, also while sound plays, and a session that nobody uses does not scan")
    func situations() {
        var policy = ScanPolicy(at: .zero)
        policy.arrived(at: .zero)
        #expect(policy.decision(in: .init(isLooking: true, isPlayingAudio: true), at: .zero).effort == .continuous)
        #expect(policy.decision(in: .init(isLooking: true, isAway: true), at: .zero).effort == .continuous)
        #expect(policy.decision(in: .init(isAway: true), at: .zero).effort == .none)
        #expect(policy.decision(in: .init(isPlayingAudio: true), at: .zero).effort == .none)
    }

    @Test("Who scans less than usual knows why, and who scans as usual has no reason")
    func restraints() {
        var policy = ScanPolicy(at: .zero)
        policy.arrived(at: .zero)
        func restraint(_ situation: ScanPolicy.Situation, at seconds: Int64) -> ScanPolicy.Restraint? {
            policy.decision(in: situation, at: .seconds(seconds)).restraint
        }
        #expect(restraint(.init(), at: 5) == nil)
        #expect(restraint(.init(), at: 119) == nil)
        #expect(restraint(.init(), at: 120) == .unheard)
        #expect(restraint(.init(), at: 86400) == .unheard)
        #expect(restraint(.init(isPlayingAudio: true), at: 5) == .sound)
        #expect(restraint(.init(isAway: true, isPlayingAudio: true), at: 5) == .away)
        #expect(restraint(.init(isLooking: true, isAway: true, isPlayingAudio: true), at: 86400) == nil)
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
            let decision = policy.decision(in: .init(), at: now)
            if let until = decision.until {
                #expect(until > now)
                #expect(policy.decision(in: .init(), at: until - .nanoseconds(1)) == decision)
                #expect(policy.decision(in: .init(), at: until).effort != decision.effort)
            }
            now += .milliseconds(Int.random(in: 1...400_000, using: &random))
        }
    }
}
