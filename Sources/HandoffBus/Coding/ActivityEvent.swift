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
        SignalDescription(
            name: "SaveRequested",
            "The app was asked to save, because a device fetches the activity.",
            arguments: [.details]
        ),
        SignalDescription(
            name: "SaveEnded",
            "The result of the save request. After timed-out another one follows when the app answers.",
            arguments: [Argument("outcome", .string, "saved, failed or timed-out"), .details]
        ),
        SignalDescription(
            name: "Fetched",
            "The activity is being sent to a device whose user continues it. A device that only looks is not shown.",
            arguments: [
                Argument("device", .objectPath, "the object of the device that asked"),
                Argument(
                    "activity",
                    .properties,
                    "what it gets, in the form of org.handoffd.NearbyActivity1.Fetch"
                ), .details,
            ]
        ),
        SignalDescription(
            name: "Continued",
            "An app on the device has accepted the activity, or its browser or a document's app has opened it.",
            arguments: whichDevice + [.details(with: "Kind (s): app, browser or document")]
        ),
        SignalDescription(
            name: "ContinuationFailed",
            "The device got the activity, and nothing there goes on with it.",
            arguments: whichDevice + [
                Argument("error", .string, "one of the names in errors.md"),
                .details(with: "Message (s), a sentence for the user"),
            ]
        ),
        SignalDescription(
            name: "StreamOpened",
            "A program on the device has opened a stream to the activity's app.",
            arguments: whichDevice + [.details]
        ),
    ]

    private static let whichDevice = [
        Argument("device", .objectPath, "the object of the device"), Argument("device_name", .string, "its name"),
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
