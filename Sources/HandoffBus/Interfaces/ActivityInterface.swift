package import DBus
import HandoffModel

/// The members of `org.handoffd.Activity1`.
package enum ActivityInterface {
    private static let name = HandoffName.activityInterface

    package static let becomeCurrent = MethodDeclaration(
        name,
        "BecomeCurrent",
        """
        Makes this the user's current activity. If it is eligible, it is advertised, and other devices may continue it.
        The activity that was current before becomes current again when this one resigns or ends.
        """,
        [.options]
    )
    package static let resignCurrent = MethodDeclaration(
        name,
        "ResignCurrent",
        """
        Makes the activity no longer current. If no other activity takes its place, it can still be fetched for
        10 seconds.
        """,
        [.options]
    )
    package static let addUserInfoEntries = MethodDeclaration(
        name,
        "AddUserInfoEntries",
        "Adds entries to UserInfo; entries with the same key are replaced, the others stay.",
        [Argument("entries", .properties, "keys and values, as in UserInfo"), .options]
    )
    package static let invalidate = MethodDeclaration(
        name,
        "Invalidate",
        "Ends the activity: the object is removed, and other devices remove it from their lists.",
        [.options]
    )

    package static let type = PropertyDeclaration(
        "Type",
        .string,
        .constant,
        "the activity type that it was created with"
    )
    package static let current = PropertyDeclaration(
        "Current",
        .boolean,
        .emitted,
        "whether this is the activity that other devices may continue"
    )
    package static let documentProblem = PropertyDeclaration(
        "DocumentProblem",
        .string,
        .emitted,
        "why the document cannot be sent to another device now; empty while it can"
    )
    package static let encodedSize = PropertyDeclaration(
        "EncodedSize",
        .uint32,
        .emitted,
        "its encoded size in bytes, as it is sent; 3072 or less is advised, more than 65536 is refused"
    )

    package static let declaration = InterfaceDeclaration(
        name,
        "an activity of the user on this device, for other devices to continue",
        """
        At /org/handoffd/Handoff1/Activity/N, from org.handoffd.Manager1.CreateActivity until it is invalidated or the
        connection that created it ends. Every program on the bus may read it; only that connection may call its methods
        and set its properties.
        """,
        methods: [becomeCurrent, resignCurrent, addUserInfoEntries, invalidate],
        properties: ActivityDraft.Key.allCases.map(\.declaration) + [type, current, documentProblem, encodedSize],
        signals: ActivityEvent.descriptions
    )
}

/// The methods and properties of `org.handoffd.Activity1` for one activity, implemented by the daemon.
///
/// Every member is called on the loop's thread and may not block, but for `update`, which is called from a task of
/// its own, in the order of the client's calls. An activity that was just invalidated has an
/// empty type and no parts.
package protocol ActivityHandler: Sendable {
    /// The activity type.
    var type: String { get }
    /// The present parts.
    var draft: ActivityDraft { get }
    /// Whether it is the current activity of this device.
    var isCurrent: Bool { get }
    /// The encoded size in bytes.
    var encodedSize: Int { get }

    /// Why its document is not available on other devices now; empty when it is.
    var documentProblem: String { get }

    /// Changes parts of the activity, all but `needsSave`.
    func update(by client: BusName, _ change: (inout ActivityDraft) throws -> Void) throws
    /// Sets whether the app has newer state than it has sent; must be cheap.
    func setNeedsSave(_ needsSave: Bool, by client: BusName) throws
    /// Makes it the current activity.
    func becomeCurrent(by client: BusName) throws
    /// Makes it no longer current.
    func resignCurrent(by client: BusName) throws
    /// Invalidates it.
    func invalidate(by client: BusName) throws
}

extension Interface {
    /// `org.handoffd.Activity1`, served by `handler`.
    package static func activity(_ handler: some ActivityHandler) -> Interface {
        Interface(
            ActivityInterface.declaration,
            methods: [
                command(ActivityInterface.becomeCurrent) { try handler.becomeCurrent(by: $0) },
                command(ActivityInterface.resignCurrent) { try handler.resignCurrent(by: $0) },
                addUserInfoEntries(handler),
                command(ActivityInterface.invalidate) { try handler.invalidate(by: $0) },
            ],
            properties: ActivityDraft.Key.allCases.map { property($0, handler) } + [
                ActivityInterface.type.served { .string(handler.type) },
                ActivityInterface.current.served { .boolean(handler.isCurrent) },
                ActivityInterface.documentProblem.served { .string(handler.documentProblem) },
                ActivityInterface.encodedSize.served { .uint32(UInt32(clamping: handler.encodedSize)) },
            ]
        )
    }

    private static func command(
        _ method: MethodDeclaration,
        _ body: @escaping @Sendable (BusName) throws -> Void
    ) -> Method {
        method.served { invocation in
            try body(invocation.sender)
            return .done
        }
    }

    private static func addUserInfoEntries(_ handler: some ActivityHandler) -> Method {
        ActivityInterface.addUserInfoEntries.served { invocation in
            let entries = try UserInfoCoding.userInfo(from: invocation.arguments[0])
            return .ordered {
                try handler.update(by: invocation.sender) {
                    $0.properties.userInfo.merge(entries) { _, new in new }
                }
                return []
            }
        }
    }

    private static func property(_ key: ActivityDraft.Key, _ handler: some ActivityHandler) -> Property {
        key.declaration.served {
            handler.draft.value(of: key)
        } set: { value, invocation in
            if key == .needsSave, let needsSave = value.boolean {
                try handler.setNeedsSave(needsSave, by: invocation.sender)
                return .done
            }
            return .ordered {
                try handler.update(by: invocation.sender) { try $0.set(key, to: value) }
                return []
            }
        }
    }
}
