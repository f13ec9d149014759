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
        DaemonStatus(try await properties(of: HandoffName.managerInterface))
    }

    /// Returns everything that the daemon exports, by kind.
    package func objects() async throws -> HandoffObjects {
        let reply = try await connection.call(
            MethodCall(
                destination: HandoffName.control,
                path: HandoffName.root,
                interface: "org.freedesktop.DBus.ObjectManager",
                member: "GetManagedObjects"
            )
        )
        guard let value = reply.first else { throw Self.unexpected("GetManagedObjects", reply) }
        return HandoffObjects(managedObjects: value)
    }

    /// Creates an activity, which exists as long as this connection.
    package func createActivity(ofType type: String, _ draft: ActivityDraft) async throws -> ObjectPath {
        let reply = try await call(ManagerInterface.createActivity, [.string(type), draft.value, .noOptions])
        return try reply.decode(at: 0, as: ObjectPath.self)
    }

    /// Makes an activity of this connection current.
    package func becomeCurrent(_ activity: ObjectPath) async throws {
        _ = try await call(ActivityInterface.becomeCurrent, at: activity)
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
        _ = try await call(ActivityInterface.invalidate, at: activity)
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
        let reply = try await cancelling(Self.call(ManagerInterface.cancelStream, arguments)) {
            () throws(DBusError) in
            try await call(ManagerInterface.openStream, arguments, timeout: Self.fetchTimeout)
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
        let call = ManagerInterface.confirmStream.call(
            of: name,
            at: HandoffName.root,
            [.unixFD(stream), .noOptions]
        )
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
                NearbyActivityInterface.fetch,
                at: nearby,
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
                NearbyActivityInterface.continuation,
                at: nearby,
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
        try await call(ManagerInterface.card).decode(at: 0, as: String.self)
    }

    /// Trusts the device of a card.
    package func trust(card: String) async throws -> ObjectPath {
        try await call(ManagerInterface.trustCard, [.string(card), .noOptions]).decode(at: 0, as: ObjectPath.self)
    }

    /// Ends the trust in a device.
    package func remove(device: ObjectPath) async throws {
        _ = try await call(DeviceInterface.remove, at: device)
    }

    /// Returns what else changes when a device is removed.
    package func consequencesOfRemoval(of device: ObjectPath) async throws -> RemovalConsequences {
        let reply = try await call(DeviceInterface.consequencesOfRemoval, at: device)
        guard reply.count == 2 else { throw Self.unexpected("ConsequencesOfRemoval", reply) }
        return RemovalConsequences(
            orphaned: RemovalConsequences.Device.list(from: reply[0]),
            removed: RemovalConsequences.Device.list(from: reply[1])
        )
    }

    /// Trusts a known device again, whoever has removed or brought it.
    package func keep(deviceID id: String) async throws {
        _ = try await call(ManagerInterface.keepDevice, [.string(id), .noOptions])
    }

    /// Removes a known device, which need not be trusted.
    package func remove(deviceID id: String) async throws {
        _ = try await call(ManagerInterface.removeDevice, [.string(id), .noOptions])
    }

    /// Gives a device a name on all devices of the circle; the root path stands for this device.
    package func rename(device: ObjectPath, to name: String) async throws {
        let method = device == HandoffName.root ? ManagerInterface.rename : DeviceInterface.rename
        _ = try await call(method, at: device, [.string(name), .noOptions])
    }

    /// Makes this device leave its circle.
    package func leave() async throws {
        _ = try await call(ManagerInterface.leave)
    }

    /// Makes the daemon scan continuously for as long as this connection exists.
    package func startLooking() async throws {
        _ = try await call(ManagerInterface.startLooking)
    }

    /// Tells the daemon which process has the focus, for as long as this connection exists; nil while it is unknown.
    ///
    /// Starts no daemon.
    package func setFocus(_ process: UInt32?) async throws {
        let call = ManagerInterface.setFocus.call(
            of: HandoffName.control,
            at: HandoffName.root,
            [.uint32(process ?? 0), .noOptions],
            startsService: false
        )
        _ = try await connection.call(call, timeout: .seconds(25))
    }

    /// Ends ``startLooking()``.
    package func stopLooking() async throws {
        _ = try await call(ManagerInterface.stopLooking)
    }

    /// Runs `body` with every signal of the daemon, received from before `body` starts.
    package func withSignals<Success: Sendable>(
        _ body: (SignalSequence) async throws -> Success
    ) async throws -> Success {
        let rule = MatchRule(sender: HandoffName.control, pathNamespace: HandoffName.root)
        return try await connection.withSignals(rule, body)
    }

    /// Calls a method of the daemon.
    ///
    /// - Parameters:
    ///   - object: the object that has it.
    ///   - arguments: its arguments, the options included.
    func call(
        _ method: MethodDeclaration,
        at object: ObjectPath = HandoffName.root,
        _ arguments: [Value] = [.noOptions],
        timeout: Duration = .seconds(25)
    ) async throws(DBusError) -> [Value] {
        try await connection.call(Self.call(method, at: object, arguments), timeout: timeout)
    }

    /// Returns a call of a method of the daemon.
    static func call(
        _ method: MethodDeclaration,
        at object: ObjectPath = HandoffName.root,
        _ arguments: [Value] = [.noOptions]
    ) -> MethodCall {
        method.call(of: HandoffName.control, at: object, arguments)
    }

    /// Returns the properties of one of the daemon's own interfaces.
    func properties(of interface: InterfaceName) async throws -> [String: Value] {
        let reply = try await connection.call(
            MethodCall(
                destination: HandoffName.control,
                path: HandoffName.root,
                interface: "org.freedesktop.DBus.Properties",
                member: "GetAll",
                arguments: [.string(interface.description)]
            )
        )
        guard let properties = reply.first?.stringDictionary else { throw Self.unexpected("GetAll", reply) }
        return properties
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
        call(NearbyActivityInterface.cancel, at: nearby)
    }

    private static func unexpected(_ member: String, _ reply: [Value]) -> DBusError {
        DBusError(.unexpectedReply, "\(member) returned unexpected types: \(reply.map { $0.type.description }).")
    }
}
