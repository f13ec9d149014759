package import DBus

/// What this device does with an activity of another one: the signals of `org.handoffd.NearbyActivity1`.
///
/// They are for observers; the app that gets the activity is called through its `Application1`.
package enum NearbyActivityEvent: Hashable, Sendable {
    /// Its continuation here has begun; the id of the app that was notified, nil for none.
    case continuationStarted(application: String?)
    /// Its continuation here has ended in an app, the browser or the app of its document.
    case continued(ContinuationResult)
    /// Its continuation here has failed.
    case continuationFailed(HandoffErrorName, message: String)

    /// The signals of the interface, for its declaration.
    package static let descriptions = [
        SignalDescription(name: "ContinuationStarted", arguments: [.details]),
        SignalDescription(name: "ContinuationEnded", arguments: [Argument(name: "outcome", type: .string), .details]),
    ]

    /// Returns the event as a signal of the activity's object.
    package func signal(of activity: ObjectPath) -> Signal {
        let (member, arguments): (MemberName, [Value]) =
            switch self {
            case .continuationStarted(let application):
                ("ContinuationStarted", [Self.details(["Application": application])])
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
