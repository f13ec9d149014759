import HandoffCore
import HandoffModel
import HandoffTestVectors
import TestLimits
import Testing

/// Both machines, the disks and the air (Docs/Protocol.md, "Why it holds").
@Suite("Whatever is lost, a pairing ends alike on both devices once they meet again", .endsWithin(minutes: 10))
struct PairingModelCheck {
    /// Two devices that have chosen each other: the first of them is about to write its record.
    private static func comparing() throws -> PairingWorld {
        var world = try PairingWorld()
        try world.beginRequests()
        while let step = world.steps.first {
            if case .perform(let side, _) = step, case .persist = world.sides[side].actions.first { return world }
            try world.take(step)
        }
        throw Unreached()
    }

    private struct Unreached: Error {}

    /// What is kept on both sides when both requests are over, once for each combination.
    private struct Ends {
        var worlds: [String: PairingWorld] = [:]
        var seen: [Int: Int] = [:]

        /// Follows every history from a state in which at most `budget` times something else happens than what would happen
        /// undisturbed.
        mutating func explore(_ start: PairingWorld, budget: Int) async throws {
            var open = [(world: start, budget: budget)]
            while let next = open.popLast() {
                await Task.yield()
                let budget = next.budget
                var world = next.world
                while true {
                    try #require(world.brokenRule == nil)
                    guard seen[world.signature, default: -1] < budget else { break }
                    seen[world.signature] = budget
                    if world.isIdle { worlds[world.keptInWords] = world }
                    let steps = world.steps
                    guard let first = steps.first else {
                        try end(world)
                        break
                    }
                    for step in steps.dropFirst() where budget > 0 {
                        var other = world
                        try other.take(step)
                        open.append((other, budget - 1))
                    }
                    try world.take(first)
                }
            }
        }

        /// Checks what is left when both requests are over.
        private func end(_ world: PairingWorld) throws {
            var soon = world
            try soon.meet()
            try #require(soon.brokenRuleAfterMeeting(isSoon: true) == nil)
            // A device whose person has not said yes does not call any more.
            var late = world
            late.wait(.seconds(600))
            try late.meet()
            try #require(late.brokenRuleAfterMeeting(isSoon: false) == nil)
        }
    }

    @Test(
        """
        In every history of two devices from the first record on in which twice something is lost, repeated, out of order, \
        not written, answered otherwise, or a device crashes; and then in every history of questions, however long
        """
    )
    func exhaustive() async throws {
        var ends = Ends()
        try await ends.explore(try Self.comparing(), budget: 2)
        #expect(ends.worlds.count > 10)
        var count = 0
        for world in ends.worlds.values { count += try await Self.reconcileInEveryWay(world) }
        print("pairing: \(ends.seen.count) states of requests, \(ends.worlds.count) ends, \(count) states afterwards")
    }

    /// Follows every history of questions how the pairings have ended, with lost channels, failing writes and crashes, until
    /// there are no new states; returns how many there are.
    private static func reconcileInEveryWay(_ start: PairingWorld) async throws -> Int {
        var seen: Set<PairingWorld.Reconciling> = [start.reconciling]
        var open = [start]
        while let world = open.popLast() {
            await Task.yield()
            var met = world
            try met.meet()
            try #require(met.brokenRuleAfterMeeting(isSoon: true) == nil)
            for step in world.reconciliationSteps {
                var next = world
                try next.take(step)
                try #require(next.brokenRule == nil)
                if seen.insert(next.reconciling).inserted { open.append(next) }
            }
        }
        return seen.count
    }

    @Test("In random histories of several requests, with faults at every third to tenth step", arguments: 0..<150)
    func random(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        var world = try PairingWorld()
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            try world.beginRequests()
            let odds = Int.random(in: 3...10, using: &random)
            for _ in 0..<400 {
                let (ordinary, all) = (world.ordinarySteps, world.steps)
                guard let first = ordinary.first, let any = all.randomElement(using: &random) else { break }
                let other = ordinary.randomElement(using: &random) ?? first
                switch Int.random(in: 0..<odds, using: &random) {
                case 0: try world.take(any)
                case 1: try world.take(other)
                default: try world.take(first)
                }
                try #require(world.brokenRule == nil, "seed \(seed)")
            }
            while let step = world.ordinarySteps.first { try world.take(step) }
        }
        var late = world
        try world.meet()
        #expect(world.brokenRuleAfterMeeting(isSoon: false) == nil, "seed \(seed)")
        late.wait(.seconds(6 * 24 * 60 * 60))
        try late.meet()
        #expect(late.brokenRuleAfterMeeting(isSoon: false) == nil, "seed \(seed)")
    }
}

extension PairingWorld {
    /// All that matters when no request is active.
    struct Reconciling: Hashable {
        let memory: [Kept]
        let disk: [Kept]
        let session: Session?
    }

    /// Whether no request is active, and no session is open.
    var isIdle: Bool { session == nil && sides.allSatisfy { $0.machine == nil } }

    var reconciling: Reconciling {
        Reconciling(memory: sides.map(\.memory), disk: sides.map(\.disk), session: session)
    }

    /// Everything that can happen when no request is active, apart from the passing of time.
    var reconciliationSteps: [Step] {
        let crashes: [Step] = [.crash(0), .crash(1)]
        guard session == nil else {
            return crashes + [
                .breakSession, .continueSession(), .continueSession(.firstFails), .continueSession(.secondFails),
                .continueSession(.crashesBetween),
            ]
        }
        let asking = (0...1).flatMap { side in questions(of: side).map { Step.ask(side, $0) } }
        return crashes + asking + [.exchangeCircles]
    }
}
