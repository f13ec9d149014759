package import DBus
package import HandoffModel

/// What `org.handoffd.Activity1` does for one activity, for the daemon to carry out.
///
/// Every member is called on the connection's thread; none may block.
package protocol ActivityService: Sendable {
    /// The activity as it stands; nil when it was invalidated a moment ago.
    var activity: Activity? { get }
    /// Whether it may be offered to other devices.
    var isEligible: Bool { get }
    /// Whether it is the current activity of this device.
    var isCurrent: Bool { get }
    /// The bytes it takes on the air.
    var encodedSize: Int { get }

    /// Changes parts of the activity.
    func update(by client: BusName, _ change: (inout ActivityDraft) throws -> Void) throws
    /// Makes it the current activity.
    func becomeCurrent(by client: BusName) throws
    /// Makes it an activity that is not current.
    func resignCurrent(by client: BusName) throws
    /// Ends it.
    func invalidate(by client: BusName) throws
}

extension Interface {
    /// `org.handoffd.Activity1`, served by `service`.
    package static func activity(_ service: some ActivityService) -> Interface {
        Interface(
            name: HandoffName.activityInterface,
            methods: [
                command("BecomeCurrent") { try service.becomeCurrent(by: $0) },
                command("ResignCurrent") { try service.resignCurrent(by: $0) },
                addUserInfoEntries(service),
                command("Invalidate") { try service.invalidate(by: $0) },
            ],
            properties: settable(service) + [
                Property(name: "Type", type: .string, changes: .constant) {
                    .string(service.activity?.type.rawValue ?? "")
                },
                Property(name: "Current", type: .boolean, changes: .emitted) { .boolean(service.isCurrent) },
                Property(name: "EncodedSize", type: .uint32, changes: .silent) {
                    .uint32(UInt32(clamping: service.encodedSize))
                },
            ]
        )
    }

    private static func command(_ name: MemberName, _ body: @escaping @Sendable (BusName) throws -> Void) -> Method {
        Method(name: name) { invocation in
            try body(invocation.sender)
            return .reply([])
        }
    }

    private static func addUserInfoEntries(_ service: some ActivityService) -> Method {
        Method(
            name: "AddUserInfoEntries",
            inputs: [Argument(name: "entries", type: [String: Value].valueType)]
        ) { invocation in
            let entries = try UserInfoCoding.userInfo(from: invocation.arguments[0])
            try service.update(by: invocation.sender) {
                $0.properties.userInfo.merge(entries) { _, new in new }
            }
            return .reply([])
        }
    }

    private static func settable(_ service: some ActivityService) -> [Property] {
        [
            property(.title, .string, service) { .string(service.activity?.title ?? "") },
            property(.webpageURL, .string, service) { .string(service.activity?.webpageURL?.rawValue ?? "") },
            property(.userInfo, [String: Value].valueType, service) {
                UserInfoCoding.value(of: service.activity?.userInfo ?? [:])
            },
            property(.eligible, .boolean, service) { .boolean(service.isEligible) },
        ]
    }

    private static func property(
        _ key: ActivityDraft.Key,
        _ type: ValueType,
        _ service: some ActivityService,
        get: @escaping @Sendable () -> Value
    ) -> Property {
        Property(
            name: MemberName(stringLiteral: key.rawValue),
            type: type,
            changes: .emitted,
            get: get,
            set: { value, invocation in
                try service.update(by: invocation.sender) { try $0.set(key.rawValue, to: value) }
            }
        )
    }
}
