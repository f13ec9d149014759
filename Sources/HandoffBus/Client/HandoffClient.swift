package import DBus
package import HandoffModel

/// A client of the daemon over the bus.
package struct HandoffClient: Sendable {
    /// How long `Fetch` and `OpenStream` may take: the daemon's own limit is 15 s.
    private static let fetchTimeout = Duration.seconds(25)
    /// How long `Continue` may take, which may include a program that waits for something: the daemon's own limits are
    /// shorter.
    private static let continueTimeout = Duration.seconds(720)

    /// The connection that owns everything created over it; all of that ends with the connection.
    package let connection: Connection

    package init(connection: Connection) {
        self.connection = connection
    }

    /// Returns the daemon's state.
    package func status() async throws -> DaemonStatus {
        let reply = try await call(
            HandoffName.root,
            "org.freedesktop.DBus.Properties",
            "GetAll",
            [
                .string(HandoffName.managerInterface.description)
            ]
        )
        guard let properties = reply.first?.stringDictionary else { throw Self.unexpected("GetAll", reply) }
        return DaemonStatus(properties)
    }

    /// Returns everything that the daemon exports, by kind.
    package func objects() async throws -> HandoffObjects {
        let reply = try await call(
            HandoffName.root,
            "org.freedesktop.DBus.ObjectManager",
            "GetManagedObjects",
            []
        )
        guard let value = reply.first else { throw Self.unexpected("GetManagedObjects", reply) }
        return HandoffObjects(managedObjects: value)
    }

    /// Creates an activity, which exists as long as this connection.
    package func createActivity(ofType type: String, _ draft: ActivityDraft) async throws -> ObjectPath {
        let reply = try await manager("CreateActivity", [.string(type), draft.value, .noOptions])
        return try reply.decode(at: 0, as: ObjectPath.self)
    }

    /// Makes an activity of this connection current.
    package func becomeCurrent(_ activity: ObjectPath) async throws {
        _ = try await call(activity, HandoffName.activityInterface, "BecomeCurrent", [.noOptions])
    }

    /// Sets properties of an activity of this connection, as ``ActivityDraft/changes(since:)`` returns them.
    package func set(_ properties: [String: Value], of activity: ObjectPath) async throws {
        // UserInfo comes first: it may contain another document than the property of its own.
        let ordered = properties.sorted { $0.key == "UserInfo" || $1.key != "UserInfo" && $0.key < $1.key }
        for (name, value) in ordered {
            try await connection.setProperty(
                of: HandoffName.control,
                at: activity,
                interface: HandoffName.activityInterface,
                name: MemberName(name),
                to: value
            )
        }
    }

    /// Ends an activity of this connection.
    package func invalidate(_ activity: ObjectPath) async throws {
        _ = try await call(activity, HandoffName.activityInterface, "Invalidate", [.noOptions])
    }

    /// Fetches a whole activity from its origin.
    package func fetchActivity(
        _ nearby: ObjectPath,
        for purpose: FetchOptions.Purpose = .preview
    ) async throws -> Activity {
        try await fetch(nearby, for: purpose).activity
    }

    /// Opens a stream to the app that began an activity: returns a connected socket in blocking mode.
    ///
    /// When the task is cancelled, the daemon stops opening it.
    package func openStream(_ continuation: String) async throws -> UnixFD {
        let arguments = [.string(continuation), Value.noOptions]
        let reply = try await cancelling(
            Self.call(HandoffName.root, HandoffName.managerInterface, "CancelStream", arguments)
        ) {
            () throws(DBusError) in
            try await manager("OpenStream", arguments, timeout: Self.fetchTimeout)
        }
        return try reply.decode(at: 0, as: UnixFD.self)
    }

    /// Begins the use of receipts for a stream of this program, before it has finished writing.
    ///
    /// - Parameters:
    ///   - stream: this program's end.
    ///   - name: the name under which the daemon is called.
    /// - Returns: the connection over which the receipts are given, as Docs/dbus/Manager1.md describes it.
    package func confirmStream(_ stream: UnixFD, at name: BusName = HandoffName.control) async throws -> UnixFD {
        var call = Self.call(
            HandoffName.root,
            HandoffName.managerInterface,
            "ConfirmStream",
            [.unixFD(stream), .noOptions]
        )
        call.destination = name
        return try await connection.call(call, timeout: .seconds(25)).decode(at: 0, as: UnixFD.self)
    }

    /// Fetches a whole activity from its origin; for a take, with the name by which a stream to its app is opened.
    ///
    /// When the task is cancelled, the daemon stops fetching it.
    ///
    /// - Parameters:
    ///   - nearby: the entry.
    ///   - purpose: what the caller does with the activity.
    ///   - takesCurrent: whether the caller wants what the device shows, whichever activity that is by then.
    package func fetch(
        _ nearby: ObjectPath,
        for purpose: FetchOptions.Purpose = .preview,
        takesCurrent: Bool = false
    ) async throws -> FetchedActivity {
        let reply = try await cancelling(Self.cancellation(of: nearby)) { () throws(DBusError) in
            try await call(
                nearby,
                HandoffName.nearbyActivityInterface,
                "Fetch",
                [FetchOptions(purpose, takesCurrent: takesCurrent).value],
                timeout: takesCurrent ? Self.fetchTimeout * 2 : Self.fetchTimeout
            )
        }
        guard let value = reply.first else { throw Self.unexpected("Fetch", reply) }
        return FetchedActivity(
            try ActivityCoding.activity(from: value),
            continuation: value.stringDictionary?["Continuation"]?.string
        )
    }

    /// Hands an activity over to its launch target on this device.
    ///
    /// When the task is cancelled, the daemon stops fetching it; this has no effect once the activity has arrived.
    package func continueActivity(
        _ nearby: ObjectPath,
        _ options: ContinuationOptions = ContinuationOptions()
    ) async throws -> ContinuationResult {
        let reply = try await cancelling(Self.cancellation(of: nearby)) { () throws(DBusError) in
            try await call(
                nearby,
                HandoffName.nearbyActivityInterface,
                "Continue",
                [options.value],
                timeout: Self.continueTimeout
            )
        }
        return ContinuationResult(
            outcome: try reply.decode(at: 0, as: String.self),
            application: try reply.decode(at: 1, as: String.self)
        )
    }

    /// Cancels the calls of ``fetch(_:for:)`` and ``continueActivity(_:_:)`` of this connection for an activity; those
    /// for which it is not too late fail with `UserCancelled`.
    package func cancel(_ nearby: ObjectPath) async throws {
        _ = try await connection.call(Self.cancellation(of: nearby))
    }

    /// Returns this device's card.
    package func card() async throws -> String {
        try await manager("Card", [.noOptions]).decode(at: 0, as: String.self)
    }

    /// Trusts the device of a card.
    package func trust(card: String) async throws -> ObjectPath {
        try await manager("TrustCard", [.string(card), .noOptions]).decode(at: 0, as: ObjectPath.self)
    }

    /// Ends the trust in a device.
    package func remove(device: ObjectPath) async throws {
        _ = try await call(device, HandoffName.deviceInterface, "Remove", [.noOptions])
    }

    /// Returns what else changes when a device is removed.
    package func consequencesOfRemoval(of device: ObjectPath) async throws -> RemovalConsequences {
        let reply = try await call(device, HandoffName.deviceInterface, "ConsequencesOfRemoval", [.noOptions])
        guard reply.count == 2 else { throw Self.unexpected("ConsequencesOfRemoval", reply) }
        return RemovalConsequences(
            orphaned: RemovalConsequences.Device.list(from: reply[0]),
            removed: RemovalConsequences.Device.list(from: reply[1])
        )
    }

    /// Trusts a known device again, whoever has removed or brought it.
    package func keep(deviceID id: String) async throws {
        _ = try await manager("KeepDevice", [.string(id), .noOptions])
    }

    /// Removes a known device, which need not be trusted.
    package func remove(deviceID id: String) async throws {
        _ = try await manager("RemoveDevice", [.string(id), .noOptions])
    }

    /// Gives a device a name on all devices of the circle; the root path stands for this device.
    package func rename(device: ObjectPath, to name: String) async throws {
        let isOwn = device == HandoffName.root
        let interface = isOwn ? HandoffName.managerInterface : HandoffName.deviceInterface
        _ = try await call(device, interface, "Rename", [.string(name), .noOptions])
    }

    /// Makes this device leave its circle.
    package func leave() async throws {
        _ = try await manager("Leave", [.noOptions])
    }

    /// Makes the daemon scan continuously for as long as this connection exists.
    package func startLooking() async throws {
        _ = try await manager("StartLooking", [.noOptions])
    }

    /// Tells the daemon which process has the focus, for as long as this connection exists; nil while it is unknown.
    ///
    /// Starts no daemon.
    package func setFocus(_ process: UInt32?) async throws {
        var call = Self.call(
            HandoffName.root,
            HandoffName.managerInterface,
            "SetFocus",
            [.uint32(process ?? 0), .noOptions]
        )
        call.startsService = false
        _ = try await connection.call(call, timeout: .seconds(25))
    }

    /// Ends ``startLooking()``.
    package func stopLooking() async throws {
        _ = try await manager("StopLooking", [.noOptions])
    }

    /// Runs `body` with every signal of the daemon, received from before `body` starts.
    package func withSignals<Success: Sendable>(
        _ body: (SignalSequence) async throws -> Success
    ) async throws -> Success {
        let rule = MatchRule(sender: HandoffName.control, pathNamespace: HandoffName.root)
        return try await connection.withSignals(rule, body)
    }

    private func manager(
        _ member: MemberName,
        _ arguments: [Value],
        timeout: Duration = .seconds(25)
    ) async throws(DBusError) -> [Value] {
        try await call(HandoffName.root, HandoffName.managerInterface, member, arguments, timeout: timeout)
    }

    private func call(
        _ path: ObjectPath,
        _ interface: InterfaceName,
        _ member: MemberName,
        _ arguments: [Value],
        timeout: Duration = .seconds(25)
    ) async throws(DBusError) -> [Value] {
        try await connection.call(Self.call(path, interface, member, arguments), timeout: timeout)
    }

    /// Makes a call that may take long; when its reply is not waited for any more, tells the daemon.
    private func cancelling(
        _ cancellation: MethodCall,
        _ call: () async throws(DBusError) -> [Value]
    ) async throws(DBusError) -> [Value] {
        do {
            return try await call()
        } catch {
            if [.cancelled, .timedOut].contains(error.code) { connection.send(cancellation) }
            throw error
        }
    }

    private static func cancellation(of nearby: ObjectPath) -> MethodCall {
        call(nearby, HandoffName.nearbyActivityInterface, "Cancel", [.noOptions])
    }

    private static func call(
        _ path: ObjectPath,
        _ interface: InterfaceName,
        _ member: MemberName,
        _ arguments: [Value]
    ) -> MethodCall {
        MethodCall(
            destination: HandoffName.control,
            path: path,
            interface: interface,
            member: member,
            arguments: arguments
        )
    }

    private static func unexpected(_ member: String, _ reply: [Value]) -> DBusError {
        DBusError(.unexpectedReply, "\(member) returned unexpected types: \(reply.map { $0.type.description }).")
    }
}
