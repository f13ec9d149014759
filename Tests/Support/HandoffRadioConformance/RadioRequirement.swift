/// One sentence of the contract in `Radio.swift`, and how to find out whether a radio keeps it.
///
/// Nothing here assumes a speed: a deadline only ends a wait that has failed. The list runs in a test bundle
/// (`@Test(arguments: RadioRequirement<World>.all)`) and, through ``runAll(in:)``, in any program.
package struct RadioRequirement<World: RadioWorld>: Sendable, CustomStringConvertible {
    typealias Body = @Sendable (World) async throws -> Void

    /// The promise, in prose.
    package let description: String

    /// Whether the world has to be able to switch a radio off.
    package let needsPowerSwitch: Bool

    private let body: Body

    init(_ description: String, needsPowerSwitch: Bool = false, _ body: @escaping Body) {
        self.description = description
        self.needsPowerSwitch = needsPowerSwitch
        self.body = body
    }

    /// Every promise.
    package static var all: [RadioRequirement] {
        stateRequirements + advertisementRequirements + scanRequirements + channelRequirements + dialRequirements
            + teardownRequirements
            + powerRequirements
    }

    /// Finds out whether the radios of `world` keep this promise.
    ///
    /// - Throws: ``RequirementFailure``, or what a radio threw.
    package func check(in world: World) async throws {
        let body = body
        try await withDeadline("\(description): not within five minutes") { try await body(world) }
    }

    /// Checks every promise, one after the other.
    package static func runAll(in world: World) async -> [Outcome] {
        var outcomes: [Outcome] = []
        for requirement in all {
            outcomes.append(
                Outcome(requirement: requirement.description, verdict: await requirement.verdict(in: world))
            )
        }
        return outcomes
    }

    private func verdict(in world: World) async -> Verdict {
        guard world.hasPowerSwitch || !needsPowerSwitch else { return .skipped }
        do {
            try await check(in: world)
            return .met
        } catch {
            return .failed("\(error)")
        }
    }
}

extension RadioRequirement {
    /// What came of one promise.
    package struct Outcome: Sendable {
        package let requirement: String
        package let verdict: Verdict
    }

    package enum Verdict: Hashable, Sendable {
        case met
        case failed(String)
        /// The world has no power switch.
        case skipped
    }
}
