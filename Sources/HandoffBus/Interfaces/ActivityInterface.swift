package import DBus
import HandoffModel

/// The methods and properties of `org.handoffd.Activity1` for one activity, implemented by the daemon.
///
/// Every member is called on the connection's thread; none may block. An activity that was just invalidated has an
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
            name: HandoffName.activityInterface,
            methods: [
                command("BecomeCurrent") { try handler.becomeCurrent(by: $0) },
                command("ResignCurrent") { try handler.resignCurrent(by: $0) },
                addUserInfoEntries(handler),
                command("Invalidate") { try handler.invalidate(by: $0) },
            ],
            properties: ActivityDraft.Key.allCases.map { property($0, handler) } + [
                Property(name: "Type", type: .string, changes: .constant) { .string(handler.type) },
                Property(name: "Current", type: .boolean, changes: .emitted) { .boolean(handler.isCurrent) },
                Property(name: "DocumentProblem", type: .string, changes: .emitted) {
                    .string(handler.documentProblem)
                },
                Property(name: "EncodedSize", type: .uint32, changes: .emitted) {
                    .uint32(UInt32(clamping: handler.encodedSize))
                },
            ],
            signals: ActivityEvent.descriptions
        ).annotatedForCodeGenerators()
    }

    private static func command(_ name: MemberName, _ body: @escaping @Sendable (BusName) throws -> Void) -> Method {
        Method(name: name, inputs: [.options]) { invocation in
            try body(invocation.sender)
            return .reply([])
        }
    }

    private static func addUserInfoEntries(_ handler: some ActivityHandler) -> Method {
        Method(
            name: "AddUserInfoEntries",
            inputs: [Argument(name: "entries", type: [String: Value].valueType), .options]
        ) { invocation in
            let entries = try UserInfoCoding.userInfo(from: invocation.arguments[0])
            try handler.update(by: invocation.sender) {
                $0.properties.userInfo.merge(entries) { _, new in new }
            }
            return .reply([])
        }
    }

    private static func property(_ key: ActivityDraft.Key, _ handler: some ActivityHandler) -> Property {
        Property(
            name: MemberName(stringLiteral: key.rawValue),
            type: key.type,
            changes: .emitted,
            get: { handler.draft.value(of: key) },
            set: { value, invocation in
                if key == .needsSave, let needsSave = value.boolean {
                    try handler.setNeedsSave(needsSave, by: invocation.sender)
                } else {
                    try handler.update(by: invocation.sender) { try $0.set(key, to: value) }
                }
            }
        )
    }
}
