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
            ManagerInterface.createActivity.call(
                of: daemon,
                at: HandoffName.root,
                [.string(type.rawValue), draft.value, .noOptions],
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
            Self.getProperties("Get", path, daemon, [.string(ActivityInterface.encodedSize.name.description)])
        case .becomeCurrent(let path): Self.call(ActivityInterface.becomeCurrent, path, daemon)
        case .resignCurrent(let path): Self.call(ActivityInterface.resignCurrent, path, daemon)
        case .invalidate(let path): Self.call(ActivityInterface.invalidate, path, daemon)
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

    private static func call(_ method: MethodDeclaration, _ path: ObjectPath, _ daemon: BusName) -> MethodCall {
        method.call(of: daemon, at: path, [.noOptions], startsService: false)
    }
}
