package import DBus
package import HandoffModel

/// An event of an activity other than a property change: the signals of `org.handoffd.Activity1`.
///
/// They are for observers that want to know what an app was asked, what it saved, and which device fetched the
/// activity; the app itself is notified through its `ActivityDelegate1`.
package enum ActivityEvent: Hashable, Sendable {
    /// The app was asked to save.
    case saveRequested
    /// The request to save has ended.
    case saveEnded(Outcome)
    /// The activity is being sent to a device, with exactly these contents.
    case fetched(device: DeviceID, Activity)
    /// An app, the browser or a document's app on the device goes on with the activity.
    case continued(device: DeviceID, name: String, kind: String)
    /// The device received the activity, and nothing there goes on with it.
    case continuationFailed(device: DeviceID, name: String, HandoffErrorName, message: String)
    /// The device has opened a continuation stream.
    case streamOpened(device: DeviceID, name: String)

    /// How a request to save ended.
    package enum Outcome: String, CaseIterable, Sendable {
        /// The app has saved.
        case saved
        /// The app answered with an error, or has no such object.
        case failed
        /// The app did not answer in time; the state that it saved last is sent.
        case timedOut = "timed-out"
    }

    /// The keys of the details.
    enum Key {
        /// What goes on with an activity: `app`, `browser` or `document`.
        static let kind = "Kind"
        /// A sentence for the user.
        static let message = "Message"
    }

    /// The signals of the interface, for its declaration.
    package static let descriptions = [
        SignalDescription(name: "SaveRequested", arguments: [.details]),
        SignalDescription(name: "SaveEnded", arguments: [Argument(name: "outcome", type: .string), .details]),
        SignalDescription(
            name: "Fetched",
            arguments: [
                Argument(name: "device", type: .objectPath),
                Argument(name: "activity", type: [String: Value].valueType), .details,
            ]
        ),
        SignalDescription(name: "Continued", arguments: whichDevice + [.details]),
        SignalDescription(
            name: "ContinuationFailed",
            arguments: whichDevice + [Argument(name: "error", type: .string), .details]
        ),
        SignalDescription(name: "StreamOpened", arguments: whichDevice + [.details]),
    ]

    private static let whichDevice = [
        Argument(name: "device", type: .objectPath), Argument(name: "device_name", type: .string),
    ]

    /// Returns the event as a signal of the activity's object.
    package func signal(of activity: ObjectPath) -> Signal {
        Signal(path: activity, interface: HandoffName.activityInterface, member: member, arguments: arguments)
    }

    private var member: MemberName {
        switch self {
        case .saveRequested: "SaveRequested"
        case .saveEnded: "SaveEnded"
        case .fetched: "Fetched"
        case .continued: "Continued"
        case .continuationFailed: "ContinuationFailed"
        case .streamOpened: "StreamOpened"
        }
    }

    private var arguments: [Value] {
        switch self {
        case .saveRequested: [.noOptions]
        case .saveEnded(let outcome): [.string(outcome.rawValue), .noOptions]
        case .fetched(let device, let activity):
            [.objectPath(HandoffName.device(device.description)), ActivityCoding.value(of: activity), .noOptions]
        case .continued(let device, let name, let kind):
            [
                .objectPath(HandoffName.device(device.description)), .string(name),
                [Key.kind: Value.string(kind)].value,
            ]
        case .streamOpened(let device, let name):
            [.objectPath(HandoffName.device(device.description)), .string(name), .noOptions]
        case .continuationFailed(let device, let name, let error, let message):
            [
                .objectPath(HandoffName.device(device.description)), .string(name),
                .string(error.errorName.description), [Key.message: Value.string(message)].value,
            ]
        }
    }
}
