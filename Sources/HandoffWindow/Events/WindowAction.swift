package import DBus
package import HandoffBus
package import HandoffClient

/// What the window has to do after an event.
package enum WindowAction: Hashable, Sendable {
    /// Calls the daemon, which starts it where the bus can.
    case connect
    /// Reads from the daemon what no signal tells, such as when devices were seen last.
    case refresh
    /// Fetches the title of an activity.
    case preview(ObjectPath)
    case continueActivity(ObjectPath, opensPrograms: Bool)
    case cancelContinuation(ObjectPath)

    case pair
    case stopPairing
    /// Answers a question of the pairing.
    case answer(PairingCall.QuestionID, PairingAnswer)
    case forget(device: String)

    case askConsequences(device: String)
    /// Removes a trusted device, and trusts others that would go with it.
    case remove(device: String, keeping: [String])
    /// Removes a device that need not be trusted.
    case drop(device: String)
    case keep(device: String)
    /// Renames a device; an empty id stands for this one.
    case rename(device: String, String)

    /// Pauses until a time in microseconds since 1970; 0 for no end.
    case pause(until: UInt64)
    case resume
    case setReceiveOnly(Bool)
    case setRule(RuleDescription)
    case removeRule(kind: String, value: String)

    /// Runs `handoffctl doctor --json`.
    case examine
    /// Shows a sentence for some seconds.
    case tell(String)
}
