import DBus
import HandoffBus
import HandoffCore
import HandoffModel

/// Implements `Rules1` for the engine, and keeps the rules in the state directory.
struct RulesObject: RulesHandler {
    private let engine: Engine
    private let kept: PersistentValue<RulesFile>

    /// Reads the rules, which hold from now on.
    ///
    /// - Throws: ``HandoffError`` when the file cannot be read or is damaged; the file is not changed.
    init(engine: Engine, in directory: StateDirectory) throws(HandoffError) {
        self.engine = engine
        kept = try PersistentValue(RulesFile.file, in: directory, initial: RulesFile())
        guard kept.value.rules != Rules() else { return }
        engine.rules.set(kept.value.rules)
    }

    var status: RulesStatus {
        let all = engine.rules.all
        var status = RulesStatus()
        status.isPaused = all.isPaused
        if case .until(let end) = all.pause { status.pausedUntil = UInt64(clamping: end) }
        status.isReceiveOnly = all.isReceiveOnly
        status.rules = all.verdicts.sorted { $0.key < $1.key }.map { subject, verdict in
            RuleDescription(verdict: verdict.rawValue, kind: subject.kind.rawValue, value: subject.value)
        }
        status.withheld = engine.rules.withheld.map(describe)
        return status
    }

    func pause(until end: UInt64) async throws {
        let end = Int64(clamping: end)
        guard end == 0 || end > Moment.now.unixMicroseconds else {
            throw HandoffErrorName.invalidArgument.reply("The end of the pause has passed already.")
        }
        try await change { $0.pause(end == 0 ? .untilResumed : .until(end)) }
    }

    func resume() async throws {
        try await change { $0.resume() }
    }

    func setReceiveOnly(_ isReceiveOnly: Bool) async throws {
        try await change { $0.isReceiveOnly = isReceiveOnly }
    }

    func setRule(_ rule: RuleDescription) async throws {
        guard let verdict = Rules.Verdict(rawValue: rule.verdict) else {
            throw HandoffErrorName.invalidArgument.reply(
                "A rule is allow or deny, not \(rule.verdict.debugDescription)."
            )
        }
        let subject = try Self.subject(rule.kind, rule.value)
        try await change { try $0.set(verdict, about: subject) }
    }

    func removeRule(kind: String, value: String) async throws {
        let subject = try Self.subject(kind, value)
        try await change { try $0.remove(about: subject) }
    }

    /// Changes the rules on disk, and then in the engine.
    private func change(_ edit: (inout Rules) throws -> Void) async throws {
        try await kept.change {
            $0.rules.expire(at: .now)
            try edit(&$0.rules)
        } then: {
            engine.rules.set(kept.value.rules)
        }
    }

    private static func subject(_ kind: String, _ value: String) throws -> RuleSubject {
        guard let kind = RuleSubject.Kind(rawValue: kind) else {
            let kinds = RuleSubject.Kind.allCases.map(\.rawValue).joined(separator: ", ")
            throw HandoffErrorName.invalidArgument.reply(
                "A rule is about one of \(kinds), not \(kind.debugDescription)."
            )
        }
        return try RuleSubject(kind, value)
    }

    private func describe(_ withheld: WithheldActivity) -> WithheldDescription {
        let (activity, device): (ObjectPath?, DeviceID?) =
            switch withheld.source {
            case .own(let id): (HandoffName.activity(id), withheld.device)
            case .nearby(_, let device): (nil, device)
            }
        return WithheldDescription(
            activity: activity,
            device: device?.description ?? "",
            deviceName: device.flatMap { engine.trust.device($0)?.name.rawValue } ?? "",
            type: withheld.type?.rawValue ?? "",
            reason: withheld.obstacle.name,
            kind: withheld.obstacle.kind?.rawValue ?? "",
            value: withheld.obstacle.subject?.value ?? "",
            message: withheld.obstacle.explanation
        )
    }
}
