/// Which rule of the person withholds something.
package enum RuleObstacle: Hashable, Sendable {
    /// Handoff is paused.
    case paused
    /// This device only receives.
    case receiveOnly
    /// A rule denies it.
    case denied(RuleSubject)
    /// There are rules that allow something of that kind, and none of them allows it.
    case notAllowed(RuleSubject.Kind)
    /// There are rules about sites, and it is not known which host this one is, as an address spells it.
    case unknownHost(String)
    /// The device has answered that a rule there gives this one nothing.
    case deniedThere

    /// The name for programs.
    package var name: String {
        switch self {
        case .paused: "paused"
        case .receiveOnly: "receive-only"
        case .denied: "denied"
        case .notAllowed: "not-allowed"
        case .unknownHost: "unknown-host"
        case .deniedThere: "denied-there"
        }
    }

    /// The subject of the rule that denies it; nil for the other obstacles.
    package var subject: RuleSubject? {
        if case .denied(let subject) = self { subject } else { nil }
    }

    /// The kind of the rule; nil for a pause and for receiving only.
    package var kind: RuleSubject.Kind? {
        switch self {
        case .paused, .receiveOnly: nil
        case .denied(let subject): subject.kind
        case .notAllowed(let kind): kind
        case .unknownHost: .site
        case .deniedThere: .device
        }
    }

    /// The rule, and how to end it, in a sentence.
    package var explanation: String {
        switch self {
        case .paused: "Handoff is paused; `handoffctl resume` ends the pause."
        case .receiveOnly: "This device only receives; `handoffctl rules receive-only off` changes that."
        case .denied(let subject):
            "The rule `deny \(subject.kind.rawValue) \(subject.value)` denies it; "
                + "`handoffctl rules remove \(subject.kind.rawValue) \(subject.value)` removes the rule."
        case .notAllowed(let kind):
            "Only certain \(kind.plural) are allowed, and this is none of them; `handoffctl rules` lists them."
        case .unknownHost(let host):
            "There are rules about sites, and handoffd does not know which host \(host) is: browsers show the usual form of "
                + "such a name. `handoffctl rules` lists the rules."
        case .deniedThere:
            "A rule on that device gives this one nothing; `handoffctl rules` there lists it. It is asked again when it is "
                + "chosen after a quarter of an hour at the latest."
        }
    }

    /// The error for a request of the person at this device that the rules do not allow.
    package var error: HandoffError {
        HandoffError(self == .paused ? .paused : .denied, explanation)
    }
}
