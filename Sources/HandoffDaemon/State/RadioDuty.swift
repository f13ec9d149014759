import HandoffRadio

/// What the daemon does with a radio that works, and what the radio can refuse all the same.
enum RadioDuty: CaseIterable, Sendable {
    case advertising, scanning, listening

    /// The name of the advisory that says that it is refused.
    var advisoryName: String {
        switch self {
        case .advertising: "not-advertising"
        case .scanning: "not-scanning"
        case .listening: "not-listening"
        }
    }

    /// Returns what a refusal means to the user, and what to do.
    func explanation(of error: RadioError) -> String {
        let consequence =
            switch self {
            case .advertising: "Other devices do not see what can be continued from here"
            case .scanning: "This device does not see what can be continued from others"
            case .listening: "Other devices cannot fetch anything from here"
            }
        return "\(consequence): \(error.message)"
    }
}
