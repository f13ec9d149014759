package import DBus

/// What happens to a pairing request: the signals of `org.handoffd.Pairing1`.
///
/// They are for observers; the program that asks the user is called through its `PairingAgent1`.
package enum PairingEvent: Hashable, Sendable {
    /// A program has begun to look for a device to pair with.
    case started
    /// Both devices trust each other.
    case paired(device: ObjectPath, name: String)
    /// The user here has confirmed; whether the user there has is unknown.
    case unconfirmed(name: String, HandoffErrorName, message: String)
    /// Nothing was paired.
    case failed(HandoffErrorName, message: String)

    /// The signals of the interface, for its declaration.
    package static let descriptions = [
        SignalDescription(
            name: "Started",
            "A program has begun to look for a device to pair with.",
            arguments: [.details]
        ),
        SignalDescription(
            name: "Ended",
            "The pairing that has started has ended.",
            arguments: [
                Argument("outcome", .string, "paired, unconfirmed or failed"),
                .details(
                    with:
                        "Device (o) when paired, DeviceName (s) unless failed; Error (s) and Message (s) unless paired"
                ),
            ]
        ),
    ]

    /// The event as a signal of the daemon's object.
    package var signal: Signal {
        switch self {
        case .started: Self.signal("Started", [])
        case .paired(let device, let name):
            Self.ended("paired", ["Device": .objectPath(device), "DeviceName": .string(name)])
        case .unconfirmed(let name, let error, let message):
            Self.ended("unconfirmed", Self.failure(error, message).merging(["DeviceName": .string(name)]) { $1 })
        case .failed(let error, let message): Self.ended("failed", Self.failure(error, message))
        }
    }

    private static func ended(_ outcome: String, _ details: [String: Value]) -> Signal {
        signal("Ended", [.string(outcome)], details)
    }

    private static func signal(_ member: MemberName, _ arguments: [Value], _ details: [String: Value] = [:]) -> Signal {
        Signal(
            path: HandoffName.root,
            interface: HandoffName.pairingInterface,
            member: member,
            arguments: arguments + [details.value]
        )
    }

    private static func failure(_ error: HandoffErrorName, _ message: String) -> [String: Value] {
        ["Error": .string(error.errorName.description), "Message": .string(message)]
    }
}
