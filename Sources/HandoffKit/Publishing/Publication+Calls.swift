import DBus
import HandoffBus
import HandoffModel

extension Publication.Step {
    /// The D-Bus call of the step.
    func call(to daemon: BusName) -> MethodCall {
        switch self {
        case .start:
            // D-Bus specification, "Message Bus Messages": the name, and flags that are not used yet.
            MethodCall(
                destination: "org.freedesktop.DBus",
                path: "/org/freedesktop/DBus",
                interface: "org.freedesktop.DBus",
                member: "StartServiceByName",
                arguments: [.string(daemon.description), .uint32(0)]
            )
        case .create(let type, let draft):
            MethodCall(
                destination: daemon,
                path: HandoffName.root,
                interface: HandoffName.managerInterface,
                member: "CreateActivity",
                arguments: [.string(type.rawValue), draft.value, [String: Value]().value],
                startsService: false
            )
        case .set(let path, let key, let value):
            MethodCall(
                destination: daemon,
                path: path,
                interface: "org.freedesktop.DBus.Properties",
                member: "Set",
                arguments: [
                    .string(HandoffName.activityInterface.description), .string(key.rawValue), .variant(value),
                ],
                startsService: false
            )
        case .describe(let path):
            Self.getProperties("GetAll", path, daemon, [])
        case .measure(let path):
            Self.getProperties("Get", path, daemon, [.string("EncodedSize")])
        case .becomeCurrent(let path): Self.call("BecomeCurrent", path, daemon)
        case .resignCurrent(let path): Self.call("ResignCurrent", path, daemon)
        case .invalidate(let path): Self.call("Invalidate", path, daemon)
        }
    }

    private static func getProperties(
        _ member: MemberName,
        _ path: ObjectPath,
        _ daemon: BusName,
        _ arguments: [Value]
    ) -> MethodCall {
        MethodCall(
            destination: daemon,
            path: path,
            interface: "org.freedesktop.DBus.Properties",
            member: member,
            arguments: [.string(HandoffName.activityInterface.description)] + arguments,
            startsService: false
        )
    }

    private static func call(_ member: MemberName, _ path: ObjectPath, _ daemon: BusName) -> MethodCall {
        MethodCall(
            destination: daemon,
            path: path,
            interface: HandoffName.activityInterface,
            member: member,
            arguments: [[String: Value]().value],
            startsService: false
        )
    }
}
