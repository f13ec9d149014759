import HandoffBus
import HandoffCore

/// How much this device scans for the activities of other devices at present, and why not more.
struct ScanningStatus: Hashable, Sendable {
    /// Why nothing, or only seldom, is scanned.
    enum Reason: Hashable, Sendable {
        /// The radio cannot be used.
        case radio
        /// No device is trusted, so that there is nobody to hear.
        case noDevices
        /// The person has paused Handoff.
        case paused
        case policy(ScanPolicy.Restraint)

        /// The name on the bus.
        var name: String {
            switch self {
            case .radio: "radio"
            case .noDevices: "no-devices"
            case .paused: "paused"
            case .policy(.away): "away"
            case .policy(.sound): "sound"
            case .policy(.unheard): "unheard"
            }
        }
    }

    let effort: ScanPolicy.Effort
    /// Nil while the device scans as much as it does for a device that it has just heard.
    let reason: Reason?

    /// Before the first plan.
    static let none = ScanningStatus(effort: .none, reason: .radio)

    /// What that means to the user, and what to do; empty without a reason.
    var message: String {
        let asked = "`handoffctl nearby` scans for a moment all the same."
        return switch reason {
        case nil: ""
        case .radio: "The radio cannot be used, so nothing is scanned; `handoffctl doctor` says how to mend it."
        case .noDevices:
            "No device is trusted yet, so nothing is scanned: run `handoffctl pair` here and on another one."
        case .paused: "Handoff is paused, so nothing is scanned; `handoffctl resume` ends the pause."
        case .policy(.away):
            "This session is locked or idle, so nothing is scanned until somebody uses it again; \(asked)"
        case .policy(.sound): "Sound goes over this adapter, so nothing is scanned until it ends; \(asked)"
        case .policy(.unheard):
            "None of your devices was heard for a while, so only \(share) is scanned, and an activity may be noticed "
                + "that much later; \(asked)"
        }
    }

    /// The share of the time, in words.
    private var share: String {
        guard case .windows(let rest) = effort else { return "a part of the time" }
        return "1 s of every \((ScanPolicy.window + rest).components.seconds) s"
    }

    /// The value on the bus.
    var description: ScanningDescription {
        let words: (String, Duration?) =
            switch effort {
            case .none: ("none", nil)
            case .windows(let rest): ("windows", ScanPolicy.window + rest)
            case .continuous: ("continuous", nil)
            }
        return ScanningDescription(
            effort: words.0,
            interval: words.1.map { UInt64($0 / .microseconds(1)) },
            reason: reason?.name ?? "",
            message: message
        )
    }
}
