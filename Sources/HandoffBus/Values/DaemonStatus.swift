package import DBus

/// The daemon's state, as `org.handoffd.Manager1` tells it.
package struct DaemonStatus: DescribedObject {
    package var version = ""
    package var protocolVersion: UInt32 = 0
    /// 16 hexadecimal digits.
    package var deviceID = ""
    /// The name under which other devices show this one.
    package var deviceName = ""
    /// `ready`, or the name of the reason why the radio cannot be used.
    package var radioState = ""
    /// The radio's name when ready, otherwise a sentence that says what to do.
    package var radioMessage = ""
    /// What could work better, each as a name for programs and a sentence for people.
    package var advisories: [(name: String, message: String)] = []
    /// How much is scanned for the activities of other devices, and why not more.
    package var scanning = ScanningDescription(nil)
    /// The known devices about which a person has to decide.
    package var questions: [DeviceQuestion] = []
    /// The object of the current activity; `/` when there is none.
    package var currentActivity = ObjectPath.root

    /// A daemon that tells nothing.
    package init() {}

    /// Reads the properties of `org.handoffd.Manager1`; those that are absent or of another type are empty.
    package init(_ properties: [String: Value]) { read(properties) }

    package static let properties = constants + states

    private static let constants: [DescribedProperty<DaemonStatus>] = [
        DescribedProperty("Version", \.version, .constant, "the version of the daemon, such as 0.2.0"),
        DescribedProperty(
            "ProtocolVersion",
            \.protocolVersion,
            .constant,
            "the version of the protocol between devices"
        ),
    ]

    private static let states: [DescribedProperty<DaemonStatus>] = [
        DescribedProperty(
            "DeviceID",
            \.deviceID,
            .emitted,
            "the id of this device, 16 hexadecimal digits; another one after Leave"
        ),
        DescribedProperty(
            "DeviceName",
            \.deviceName,
            .emitted,
            "the name under which other devices show this one"
        ),
        DescribedProperty(
            "RadioState",
            \.radioState,
            .emitted,
            """
            "ready", or why nothing can be advertised or heard: NoBluetoothService, NoAdapter, BluetoothOff,
            BluetoothBlocked or RadioUnavailable; later versions may know more reasons
            """
        ),
        DescribedProperty(
            "RadioMessage",
            \.radioMessage,
            .emitted,
            "the radio's name when it is ready, otherwise a sentence in English that says what to do"
        ),
        DescribedProperty(
            "Advisories",
            \.advisories,
            .emitted,
            .dictionaries,
            encode: { .advisories($0) },
            decode: { advisories(in: $0) },
            """
            what could work better on this computer, each with Name (s) for programs and Message (s), a sentence in
            English
            """
        ),
        DescribedProperty(
            "Scanning",
            \.scanning,
            .emitted,
            .properties,
            encode: { $0.value },
            decode: { ScanningDescription($0) },
            """
            how much is scanned for the activities of other devices: Effort (s), which is none, windows or continuous,
            Interval (t), the microseconds between two windows, and if it scans less than usual, Reason (s), which is
            radio, no-devices, paused, away, sound or unheard, and Message (s), a sentence in English; later versions may
            know more
            """
        ),
        DescribedProperty(
            "Questions",
            \.questions,
            .emitted,
            .dictionaries,
            encode: { DeviceQuestion.list($0) },
            decode: { DeviceQuestion.list(from: $0) },
            """
            the known devices about which only a person can decide whether they are trusted, each with ID (s), Name (s),
            Reason (s), which is disputed or orphaned, and Others (as), the names of the devices that have removed or
            introduced it
            """
        ),
        DescribedProperty(
            "CurrentActivity",
            \.currentActivity,
            .emitted,
            "the activity that other devices may continue; \"/\" when there is none"
        ),
    ]

    private static func advisories(in value: Value) -> [(name: String, message: String)] {
        value.dictionaries.compactMap { advisory in
            guard let name = advisory["Name"]?.string, let message = advisory["Message"]?.string else { return nil }
            return (name, message)
        }
    }
}

extension Value {
    /// Returns advisories as a value of type `aa{sv}`.
    package static func advisories(_ advisories: [(name: String, message: String)]) -> Value {
        .dictionaries(advisories.map { ["Name": .string($0.name), "Message": .string($0.message)] })
    }
}
