package import DBus

/// What this device does with an activity of another one: the signals of `org.handoffd.NearbyActivity1`.
///
/// They are for observers; the app that gets the activity is called through its `Application1`.
package enum NearbyActivityEvent: Hashable, Sendable {
    /// Its continuation here has begun; the id of the app that was notified, nil for none.
    case continuationStarted(application: String?)
    /// Its continuation here has come to a step that may take time.
    case continuing(Step)
    /// Its continuation here has ended in an app, the browser or the app of its document.
    case continued(ContinuationResult)
    /// Its continuation here has failed.
    case continuationFailed(HandoffErrorName, message: String)

    /// A step of a continuation that may take time.
    package enum Step: Hashable, Sendable {
        /// The activity is fetched from its device.
        case fetching
        /// The activity has arrived; the file at the path, which it is about, has not.
        case synchronising(document: String)
        /// An app, or whatever opens the web page or the document, has to start or to answer; the id of the app, if
        /// known, otherwise empty.
        case opening(application: String)

        /// Reads a signal; nil for any other one.
        package init?(_ signal: Signal) {
            guard signal.interface == HandoffName.nearbyActivityInterface, signal.member == "ContinuationStep",
                let name = signal.arguments.first?.string
            else { return nil }
            let details = signal.arguments.last?.stringDictionary ?? [:]
            switch name {
            case "fetching": self = .fetching
            case "synchronising": self = .synchronising(document: details["Document"]?.string ?? "")
            case "opening": self = .opening(application: details["Application"]?.string ?? "")
            default: return nil
            }
        }

        fileprivate var name: String {
            switch self {
            case .fetching: "fetching"
            case .synchronising: "synchronising"
            case .opening: "opening"
            }
        }

        fileprivate var details: [String: String?] {
            switch self {
            case .fetching: [:]
            case .synchronising(let document): ["Document": document]
            case .opening(let application): ["Application": application]
            }
        }
    }

    /// The signals of the interface, for its declaration.
    package static let descriptions = [
        SignalDescription(
            name: "ContinuationStarted",
            "This device has begun to continue the activity.",
            arguments: [.details(with: "Application (s), the id of the app that was notified, if one was")]
        ),
        SignalDescription(
            name: "ContinuationStep",
            "The continuation that has started has come to a step that may take time.",
            arguments: [
                Argument("step", .string, "fetching, synchronising or opening"),
                .details(
                    with: """
                        Document (s), the path of the file that is awaited; Application (s), the id of the app, if it is
                        known
                        """
                ),
            ]
        ),
        SignalDescription(
            name: "ContinuationEnded",
            "The continuation that has started has ended.",
            arguments: [
                Argument("outcome", .string, "app, browser or document, as of Continue, or failed"),
                .details(with: "Application (s), the id of the app; Error (s) and Message (s) of a failure"),
            ]
        ),
    ]

    /// Returns the event as a signal of the activity's object.
    package func signal(of activity: ObjectPath) -> Signal {
        let (member, arguments): (MemberName, [Value]) =
            switch self {
            case .continuationStarted(let application):
                ("ContinuationStarted", [Self.details(["Application": application])])
            case .continuing(let step): ("ContinuationStep", [.string(step.name), Self.details(step.details)])
            case .continued(let result):
                ("ContinuationEnded", [.string(result.outcome), Self.details(["Application": result.application])])
            case .continuationFailed(let error, let message):
                (
                    "ContinuationEnded",
                    [
                        .string("failed"),
                        Self.details(["Error": error.errorName.description, "Message": message]),
                    ]
                )
            }
        return Signal(
            path: activity,
            interface: HandoffName.nearbyActivityInterface,
            member: member,
            arguments: arguments
        )
    }

    private static func details(_ details: [String: String?]) -> Value {
        details.compactMapValues { $0.flatMap { $0.isEmpty ? nil : Value.string($0) } }.value
    }
}
