/// One sentence of the contract in `Radio.swift`, with the code that checks whether a radio meets it.
///
/// No requirement assumes a speed: a deadline only ends a wait that has failed. The list runs in a test bundle
/// (`@Test(arguments: RadioRequirement<World>.all)`), and in any program through ``runAll(in:)``.
package struct RadioRequirement<World: RadioWorld>: Sendable, CustomStringConvertible {
    typealias Body = @Sendable (World) async throws -> Void

    /// The requirement, as a sentence.
    package let description: String

    /// Whether the world has to be able to switch a radio off.
    package let needsPowerSwitch: Bool

    private let body: Body

    init(_ description: String, needsPowerSwitch: Bool = false, _ body: @escaping Body) {
        self.description = description
        self.needsPowerSwitch = needsPowerSwitch
        self.body = body
    }

    /// All requirements.
    package static var all: [RadioRequirement] {
        stateRequirements + advertisementRequirements + scanRequirements + channelRequirements + dialRequirements
            + teardownRequirements
            + powerRequirements
    }

    /// Checks whether the radios of `world` meet this requirement.
    ///
    /// - Throws: ``RequirementFailure``, or the error of a radio.
    package func check(in world: World) async throws {
        let body = body
        try await withDeadline("\(description): not met within five minutes") { try await body(world) }
    }

    /// Checks all requirements, one after the other.
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
    /// The outcome of one requirement.
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
