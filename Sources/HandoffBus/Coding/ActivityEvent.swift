package import DBus
package import HandoffModel

/// What happens to an activity beyond the changes of its properties: the signals of `org.handoffd.Activity1`.
///
/// They are for whoever wants to see what an app was asked, what it saved and who took it; the app itself is told through
/// its `ActivityDelegate1`.
package enum ActivityEvent: Hashable, Sendable {
    /// The app was asked to save.
    case saveRequested
    /// How that ended.
    case saveEnded(Outcome)
    /// The activity is on its way to a device, with exactly this in it.
    case fetched(device: DeviceID, Activity)
    /// That device has acknowledged that it has it.
    case continued(device: DeviceID, name: String)
    /// That device has opened a continuation stream.
    case streamOpened(device: DeviceID, name: String)

    /// How a request to save ended.
    package enum Outcome: String, CaseIterable, Sendable {
        /// The app has saved.
        case saved
        /// The app answered with an error, or has no such object.
        case failed
        /// The app has not answered in time; what it saved last goes out.
        case timedOut = "timed-out"
    }

    /// The signals as the interface declares them.
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
        SignalDescription(name: "StreamOpened", arguments: whichDevice),
    ]

    private static let whichDevice = [
        Argument(name: "device", type: .objectPath), Argument(name: "device_name", type: .string),
    ]

    /// The event as a signal of the activity's object.
    package func signal(of activity: ObjectPath) -> Signal {
        Signal(path: activity, interface: HandoffName.activityInterface, member: member, arguments: arguments)
    }

    private var member: MemberName {
        switch self {
        case .saveRequested: "SaveRequested"
        case .saveEnded: "SaveEnded"
        case .fetched: "Fetched"
        case .continued: "Continued"
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
        }
    }
}
