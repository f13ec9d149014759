/// One sentence of the contract in `Radio.swift`, and how to find out whether a radio keeps it.
///
/// Nothing here assumes a speed: a deadline only ends a wait that has failed. The list runs in a test bundle
/// (`@Test(arguments: Promise<World>.all)`) and, through ``runAll(in:)``, in any program.
package struct Promise<World: RadioWorld>: Sendable, CustomStringConvertible {
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
    package static var all: [Promise] {
        statePromises + advertisementPromises + scanPromises + channelPromises + dialPromises + undoingPromises
            + powerPromises
    }

    /// Finds out whether the radios of `world` keep this promise.
    ///
    /// - Throws: ``BrokenPromise``, or what a radio threw.
    package func check(in world: World) async throws {
        let body = body
        try await withDeadline("\(description): not within five minutes") { try await body(world) }
    }

    /// Checks every promise, one after the other.
    package static func runAll(in world: World) async -> [Outcome] {
        var outcomes: [Outcome] = []
        for promise in all {
            outcomes.append(Outcome(promise: promise.description, verdict: await promise.verdict(in: world)))
        }
        return outcomes
    }

    private func verdict(in world: World) async -> Verdict {
        guard world.hasPowerSwitch || !needsPowerSwitch else { return .skipped }
        do {
            try await check(in: world)
            return .kept
        } catch {
            return .broken("\(error)")
        }
    }
}

extension Promise {
    /// What came of one promise.
    package struct Outcome: Sendable {
        package let promise: String
        package let verdict: Verdict
    }

    package enum Verdict: Hashable, Sendable {
        case kept
        case broken(String)
        /// The world has no power switch.
        case skipped
    }
}
