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
    case continued(device: DeviceID, name: String)
    /// The device received the activity, and nothing there goes on with it.
    case continuationFailed(device: DeviceID, name: String, HandoffErrorName)
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

    /// The signals of the interface, for its declaration.
    package static let descriptions = [
        SignalDescription(name: "SaveRequested"),
        SignalDescription(name: "SaveEnded", arguments: [Argument(name: "outcome", type: .string)]),
        SignalDescription(
            name: "Fetched",
            arguments: [
                Argument(name: "device", type: .objectPath),
                Argument(name: "activity", type: [String: Value].valueType),
            ]
        ),
        SignalDescription(name: "Continued", arguments: whichDevice),
        SignalDescription(
            name: "ContinuationFailed",
            arguments: whichDevice + [Argument(name: "error", type: .string)]
        ),
        SignalDescription(name: "StreamOpened", arguments: whichDevice),
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
        case .saveRequested: []
        case .saveEnded(let outcome): [.string(outcome.rawValue)]
        case .fetched(let device, let activity):
            [.objectPath(HandoffName.device(device.description)), ActivityCoding.value(of: activity)]
        case .continued(let device, let name), .streamOpened(let device, let name):
            [.objectPath(HandoffName.device(device.description)), .string(name)]
        case .continuationFailed(let device, let name, let error):
            [
                .objectPath(HandoffName.device(device.description)), .string(name),
                .string(error.errorName.description),
            ]
        }
    }
}
