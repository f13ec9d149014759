import AsyncSupport
import HandoffCore
import HandoffModel
import HandoffWire
import Logging

extension Engine {
    /// What the person at this device allows.
    var rules: EngineRules { EngineRules(engine: self) }
}

/// What the person at this device allows: the rules, and what they mean for sessions and streams.
struct EngineRules: Sendable {
    let engine: Engine

    /// The rules.
    var all: Rules { engine.read(\.rules) }

    /// What the rules withhold: the current activity first, then those of other devices, nearest first.
    var withheld: [WithheldActivity] { engine.read(\.withheld) }

    /// Replaces the rules; they hold for everything that was published or heard before.
    func set(_ rules: Rules) {
        engine.change { state, now in
            // It may have been kept since an earlier run.
            var rules = rules
            rules.expire(at: now)
            state.setRules(rules, at: now)
        }
        engine.logger.info(
            "the rules of the user hold from now on",
            metadata: ["event": "rules.changed", "paused": "\(rules.isPaused)", "count": "\(rules.verdicts.count)"]
        )
    }

    // MARK: Sessions

    /// Returns why this device asks a device for nothing and gives it nothing; nil when it may.
    func obstacle(toDealingWith device: DeviceID) -> RuleObstacle? {
        engine.read { $0.rules.obstacle(toDealingWith: device) }
    }

    /// Returns why an activity that a device has sent is not passed on; nil when it is.
    func obstacle(toTaking activity: Activity, from device: DeviceID) -> RuleObstacle? {
        engine.read { $0.rules.obstacle(toTaking: activity, from: device) }
    }

    /// Returns the refusal to a trusted device that gets nothing because of a rule about devices; nil when there is no
    /// such rule.
    func refusal(to device: DeviceID) -> EngineSessions.PreparedAnswer? {
        guard obstacle(toDealingWith: device)?.kind == .device else { return nil }
        return .refusal(.denied, "A rule there gives this device nothing.")
    }

    /// Returns an answer, or a refusal in its place if a rule denies it that may be newer than the answer.
    func checked(
        _ prepared: EngineSessions.PreparedAnswer,
        for device: DeviceID
    ) -> EngineSessions.PreparedAnswer {
        guard let id = prepared.activity, obstacle(toGiving: id, to: device) != nil else { return prepared }
        if let refusal = refusal(to: device) { return refusal }
        guard case .stream = prepared.answer else {
            return .refusal(.noLongerCurrent, "That activity is no longer the current one.")
        }
        return .refusal(.noSuchActivity, "The activity has ended.")
    }

    // MARK: Streams

    /// Runs `body`, which transfers a stream, as long as the other device is trusted and the rules allow it.
    ///
    /// - Parameters:
    ///   - activity: the activity of this device to whose app the stream leads; nil for one of the other device.
    ///   - device: the other device.
    ///   - body: ends the stream when it is cancelled.
    /// - Throws: ``HandoffError`` with `paused`, `denied` or `unknownDevice`; else what `body` throws.
    func whilePermitted(
        _ activity: ActivityRegister.ID? = nil,
        for device: DeviceID,
        _ body: @escaping @Sendable () async throws -> Void
    ) async throws {
        try await race {
            try await engine.trust.whileTrusted(device, body)
        } _: { [self] in
            var rules = engine.currentRules.current
            while true {
                let ofActivity = activity.flatMap { self.obstacle(toGiving: $0, to: device) }
                if let obstacle = ofActivity ?? self.obstacle(toDealingWith: device) { throw obstacle.error }
                rules = try await engine.currentRules.changed(since: rules)
            }
        }
    }

    /// Returns which rule keeps an activity of this device from a device; nil when none does.
    private func obstacle(toGiving activity: ActivityRegister.ID, to device: DeviceID) -> RuleObstacle? {
        engine.read { $0.rules.obstacle(toDealingWith: device) ?? $0.origin.obstacle(to: activity) }
    }
}
