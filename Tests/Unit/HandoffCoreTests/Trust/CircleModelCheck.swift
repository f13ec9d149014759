import HandoffCore
import HandoffModel
import HandoffTestVectors
import TestLimits
import Testing

/// Honest devices against lying ones (Docs/Circle.md, "Why it holds").
@Suite("No lie, alone or in conspiracy, breaks a rule of the circle", .endsWithin(minutes: 10))
struct CircleModelCheck {
    /// Limits that liars reach with the devices that they make up, and honest devices do not.
    private static let small = CircleLimits(knownDevices: 12, broughtDevices: 3, additions: 6, removals: 9, names: 5)

    @Test(
        "In random histories of 2 to 6 honest devices and 1 or 2 conspiring liars",
        arguments: [CircleLimits.standard, small],
        0..<40
    )
    func random(limits: CircleLimits, seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let count = 2 + Int(seed % (limits == .standard ? 5 : 3))
        let liars = 1 + Int(seed / 5 % 2)
        var world = try CircleWorld(honest: count, liars: liars + (limits == .standard ? 4 : 12), limits: limits)
        for one in 1..<count { world.pair(Int.random(in: 0..<one, using: &random), one) }
        for liar in 0..<liars { world.pair(Int.random(in: 0..<count, using: &random), withLiar: liar) }
        if limits == Self.small {
            let additions = world.liars.dropFirst(liars).map(world.liars[0].adds)
            for one in 0..<count { world.lie(as: 0, to: one, additions) }
        }
        #expect(world.isLimitReached == (limits == Self.small), "seed \(seed)")
        var copies = world.honest
        for step in 0..<60 {
            let before = world
            let one = Int.random(in: 0..<count, using: &random)
            let other = Int.random(in: 0..<count, using: &random)
            switch Int.random(in: 0..<24, using: &random) {
            case 0: world.pair(one, other)
            case 1: world.pair(one, withLiar: Int.random(in: 0..<liars, using: &random))
            case 2: world.remove(world.liars[Int.random(in: 0..<liars, using: &random)], by: one)
            case 3:
                // An old copy of the device's state is restored; no rule compares with the time before.
                world.honest[one] = copies[one]
                continue
            case 4: copies[one] = world.honest[one]
            case 5: world.keep(world.honest[other].device, by: one)
            case 6: world.rename(world.honest[other].device, to: try DeviceName("name \(step)"), by: one)
            case 7 where seed.isMultiple(of: 2): world.remove(world.honest[other].device, by: one)
            case 7..<10: world.hear(one, from: other)
            case 10..<16: world.meet(one, other)
            default:
                let liar = Int.random(in: limits == .standard ? world.liars.indices : 0..<liars, using: &random)
                world.lie(as: liar, to: one, lies(in: world, &random))
            }
            try #require(world.brokenRule(since: before) == nil, "seed \(seed), step \(step)")
        }
        world.heal()
        #expect(world.brokenRuleAtTheEnd() == nil, "seed \(seed)")
    }

    /// Some of what the liars know, and new statements of their own, also forged ones.
    private func lies(in world: CircleWorld, _ random: inout SeededRandom) -> [SignedStatement] {
        let all = world.honest.map(\.device) + world.liars
        let old = world.pool.map { (statement: $0, bytes: $0.bytes) }
            .sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
            .map(\.statement)
            .filter { _ in Bool.random(using: &random) }
        let new = (0..<Int.random(in: 0..<(world.limits == .standard ? 4 : 30), using: &random)).map {
            _ -> SignedStatement in
            let author = world.liars.prefix(world.limits == .standard ? 6 : 3).randomElement(using: &random)!
            let subject = all.randomElement(using: &random)!
            switch Int.random(in: 0..<4, using: &random) {
            case 0: return author.adds(subject)
            case 1: return author.names(subject, "liar", version: [1, 2, 7, .max].randomElement(using: &random)!)
            case 2:
                let victim = all.randomElement(using: &random)!
                return SignedStatement(victim.removes(subject).statement, signature: author.id.bytes)
            default: return author.removes(subject)
            }
        }
        return old + new
    }

    @Test("In every history of two honest devices, a liar and a device that it made up, to a depth of 4 events")
    func exhaustive() throws {
        var start = try CircleWorld(honest: 2, liars: 2, limits: .standard)
        start.pair(0, 1)
        start.pair(0, withLiar: 0)
        start.meet(0, 1)
        var seen: Set<CircleWorld> = [start]
        var layer = [start]
        for depth in 1...4 {
            var next: [CircleWorld] = []
            for world in layer {
                for event in Self.events {
                    var after = world
                    event(&after)
                    guard seen.insert(after).inserted else { continue }
                    try #require(after.brokenRule(since: world) == nil, "depth \(depth)")
                    var end = after
                    end.heal()
                    try #require(end.brokenRuleAtTheEnd() == nil, "depth \(depth)")
                    next.append(after)
                }
            }
            layer = next
        }
        print("circle: \(seen.count) states to a depth of 4 events")
    }

    /// Everything that the two honest devices, their person and the liar with its accomplice can do.
    private static let events: [@Sendable (inout CircleWorld) -> Void] = {
        var events: [@Sendable (inout CircleWorld) -> Void] = [
            { $0.meet(0, 1) }, { $0.hear(0, from: 1) }, { $0.hear(1, from: 0) },
        ]
        for one in 0..<2 {
            events.append { $0.remove($0.liars[0], by: one) }
            events.append { $0.remove($0.liars[1], by: one) }
            events.append { $0.keep($0.honest[1 - one].device, by: one) }
            for liar in 0..<2 {
                for other in 0..<2 {
                    events.append { $0.lie(as: liar, to: one, [$0.liars[liar].removes($0.honest[other].device)]) }
                }
                events.append { $0.lie(as: liar, to: one, [$0.liars[liar].adds($0.liars[1 - liar])]) }
                events.append { $0.lie(as: liar, to: one, [$0.liars[liar].removes($0.liars[1 - liar])]) }
                events.append { $0.lie(as: liar, to: one, Array($0.pool)) }
            }
        }
        return events
    }()
}
