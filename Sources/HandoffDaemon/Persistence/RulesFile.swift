import HandoffCore
import HandoffModel

/// The rules as the file `rules` of the state directory keeps them.
struct RulesFile: Codable, Sendable {
    /// The file.
    static let file = StateFile<RulesFile>(name: "rules", version: 1)

    private struct Rule: Codable {
        let verdict: String
        let kind: String
        let value: String
    }

    private enum Key: String, CodingKey {
        case rules, isReceiveOnly, isPaused, pausedUntil
    }

    var rules = Rules()

    init() {}

    /// Reads the file.
    ///
    /// - Throws: `DecodingError` also for a rule that this version does not know: left out, it would deny nothing.
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        rules.isReceiveOnly = try container.decode(Bool.self, forKey: .isReceiveOnly)
        if try container.decode(Bool.self, forKey: .isPaused) {
            let end = try container.decodeIfPresent(Int64.self, forKey: .pausedUntil)
            rules.pause(end.map(Rules.Pause.until) ?? .untilResumed)
        }
        for rule in try container.decode([Rule].self, forKey: .rules) {
            guard let verdict = Rules.Verdict(rawValue: rule.verdict),
                let kind = RuleSubject.Kind(rawValue: rule.kind)
            else {
                throw DecodingError.dataCorruptedError(forKey: .rules, in: container, debugDescription: "unknown rule")
            }
            try rules.set(verdict, about: RuleSubject(kind, rule.value))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(rules.isReceiveOnly, forKey: .isReceiveOnly)
        try container.encode(rules.isPaused, forKey: .isPaused)
        if case .until(let end) = rules.pause { try container.encode(end, forKey: .pausedUntil) }
        let sorted = rules.verdicts.sorted { $0.key < $1.key }.map { subject, verdict in
            Rule(verdict: verdict.rawValue, kind: subject.kind.rawValue, value: subject.value)
        }
        try container.encode(sorted, forKey: .rules)
    }
}
