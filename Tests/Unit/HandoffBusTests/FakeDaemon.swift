import DBus
import HandoffBus
import HandoffModel
import HandoffTestSupport
import Synchronization

/// A daemon without a connection to other devices: it records the calls of programs and answers what a test has set.
final class FakeDaemon: Sendable {
    struct State: Sendable {
        /// The calls, each with the program that made it.
        var asked: [(what: String, by: BusName)] = []
        /// The drafts from which activities were created, in order.
        var created: [ActivityDraft] = []
        /// The one activity on the bus, of the type `org.example.fake`.
        var draft = ActivityDraft()
        var isCurrent = false
        /// The activities that `Fetch` returns, one after the other; the last one repeatedly.
        var remote: [Activity] = []
        /// The error with which every call fails.
        var failure: DBusError?
        fileprivate var connection: Connection?
    }

    static let deviceID = "0123456789abcdef"
    static let device = HandoffName.device(deviceID)
    static let activity = HandoffName.activity(1)
    static let nearby = HandoffName.nearbyActivity(7)
    static let type = "org.example.fake"

    private let state = Mutex(State())

    func read<T: Sendable>(_ body: (State) -> T) -> T { state.withLock { body($0) } }
    func change(_ body: (inout State) -> Void) { state.withLock { body(&$0) } }

    /// Records a call.
    ///
    /// - Throws: the failure that is set.
    func note(_ what: String, by client: BusName) throws {
        let failure = state.withLock { state in
            state.asked.append((what, client))
            return state.failure
        }
        if let failure { throw failure }
    }

    /// Owns the daemon's names on a private bus while `body` runs, with one object of each kind.
    static func whileOnBus<T: Sendable>(
        _ body: @escaping @Sendable (PrivateBus, FakeDaemon, HandoffClient) async throws -> T
    ) async throws -> T {
        try await withPrivateBus { bus in
            try await Connection.withConnection(to: bus.address) { server in
                let daemon = FakeDaemon()
                daemon.show(on: server)
                return try await server.withName(HandoffName.control) {
                    try await server.withName(HandoffName.bus) {
                        try await Connection.withConnection(to: bus.address) { client in
                            try await body(bus, daemon, HandoffClient(connection: client))
                        }
                    }
                }
            }
        }
    }

    /// Emits PropertiesChanged for the daemon's own properties.
    func emitChange(_ changed: [String: Value]) {
        let connection = state.withLock { $0.connection }
        connection?.objects.propertiesChanged(at: HandoffName.root, interface: HandoffName.managerInterface, changed)
    }

    /// Emits a signal.
    func emit(_ signal: Signal) { state.withLock { $0.connection }?.emit(signal) }

    private func show(on connection: Connection) {
        change { $0.connection = connection }
        connection.objects.insertObjectManager(at: HandoffName.root)
        connection.objects.insert([.manager(FakeManager(daemon: self))], at: HandoffName.root)
        connection.objects.insert([.activity(FakeActivity(daemon: self))], at: Self.activity)
        connection.objects.insert([nearbyInterface], at: Self.nearby)
        connection.objects.insert([deviceInterface], at: Self.device)
    }

    private var nearbyInterface: Interface {
        .nearbyActivity {
            Self.description
        } fetch: { [self] caller, options in
            {
                try self.note(options.purpose == .preview ? "Fetch" : "Fetch \(options.purpose)", by: caller.name)
                return FetchedActivity(try self.next(), continuation: nil)
            }
        } handOver: { _, _ in
            { ContinuationResult(outcome: "browser", application: "") }
        } cancel: { [self] client in
            try? note("Cancel", by: client)
        }
    }

    private var deviceInterface: Interface {
        .device {
            DeviceDescription(
                id: Self.deviceID,
                name: "desk",
                introducedBy: "",
                protocolVersion: 1,
                lastSeen: 5
            )
        } remove: { [self] in
            try note("Remove", by: "org.example.unknown")
        } consequences: {
            RemovalConsequences(
                orphaned: [RemovalConsequences.Device(id: "0123456789abcdef", name: "phone")],
                removed: []
            )
        } rename: { [self] name in
            try note("Rename \(name)", by: "org.example.unknown")
        }
    }

    private func next() throws -> Activity {
        let activity = state.withLock { state in
            state.remote.count > 1 ? state.remote.removeFirst() : state.remote.first
        }
        guard let activity else { throw HandoffErrorName.peerUnreachable.reply("desk cannot be reached.") }
        return activity
    }

    private static var description: NearbyActivityDescription {
        NearbyActivityDescription(
            id: 7,
            device: DeviceID(number: 0x0123_4567_89AB_CDEF),
            deviceName: "desk",
            type: try? ActivityType(type),
            typeHash: ActivityTypeHash(number: 0x0102_0304),
            hasWebpage: true,
            rssi: -40,
            firstSeen: 3,
            lastSeen: 4
        )
    }
}

/// `Manager1` of the fake.
struct FakeManager: ManagerHandler {
    let daemon: FakeDaemon

    var version: String { "1.2.3" }
    var protocolVersion: UInt32 { 1 }
    var deviceID: String { "fedcba9876543210" }
    var deviceName: String { "laptop" }
    var radioState: String { "ready" }
    var radioMessage: String { "hci0" }
    var advisories: [(name: String, message: String)] { [("SlowAdvertising", "Set it faster.")] }
    var scanning: ScanningDescription {
        ScanningDescription(effort: "windows", interval: 60_000_000, reason: "unheard", message: "Nobody was heard.")
    }
    var currentActivity: ObjectPath { daemon.read(\.isCurrent) ? FakeDaemon.activity : .root }
    var card: String { "handoffd1:card" }

    func createActivity(ofType type: String, _ draft: ActivityDraft, by client: BusName) throws -> ObjectPath {
        try daemon.note("CreateActivity \(type)", by: client)
        _ = try draft.activity(ofType: type)
        daemon.change { $0.created.append(draft) }
        return FakeDaemon.activity
    }

    func trust(card: String) throws -> ObjectPath {
        try daemon.note("TrustCard \(card)", by: "org.example.unknown")
        return FakeDaemon.device
    }

    func rename(to name: String) throws {
        try daemon.note("Rename \(name)", by: "org.example.unknown")
    }

    var questions: [DeviceQuestion] {
        [DeviceQuestion(id: "0123456789abcdef", name: "phone", reason: .disputed, others: ["laptop", "tablet"])]
    }

    func keep(device id: String) throws {
        try daemon.note("KeepDevice \(id)", by: "org.example.unknown")
    }

    func remove(device id: String) throws {
        try daemon.note("RemoveDevice \(id)", by: "org.example.unknown")
    }

    func leave() throws {
        try daemon.note("Leave", by: "org.example.unknown")
    }

    func startLooking(for client: BusName) throws {
        try daemon.note("StartLooking", by: client)
    }

    func setFocus(_ process: UInt32?, by client: BusName) {
        try? daemon.note("SetFocus \(process.map(String.init) ?? "nil")", by: client)
    }

    func openStream(continuation: String, by caller: Caller) -> @Sendable () async throws -> UnixFD {
        { throw HandoffErrorName.streamsNotSupported.reply("This daemon has no streams.") }
    }

    func confirmStream(_ stream: UnixFD) throws -> UnixFD {
        throw HandoffErrorName.noSuchStream.reply("This daemon has no streams.")
    }

    func cancelStream(continuation: String, by client: BusName) {
        try? daemon.note("CancelStream \(continuation)", by: client)
    }

    func stopLooking(for client: BusName) {
        try? daemon.note("StopLooking", by: client)
    }
}

/// `Activity1` of the fake.
struct FakeActivity: ActivityHandler {
    let daemon: FakeDaemon

    var type: String { FakeDaemon.type }
    var draft: ActivityDraft { daemon.read(\.draft) }
    var isCurrent: Bool { daemon.read(\.isCurrent) }
    var encodedSize: Int { 42 }
    var documentProblem: String { "" }

    func update(by client: BusName, _ change: (inout ActivityDraft) throws -> Void) throws {
        try daemon.note("update", by: client)
        var draft = daemon.read(\.draft)
        try change(&draft)
        daemon.change { $0.draft = draft }
    }

    func setNeedsSave(_ needsSave: Bool, by client: BusName) throws {
        try daemon.note("needsSave", by: client)
        daemon.change { $0.draft.needsSave = needsSave }
    }

    func becomeCurrent(by client: BusName) throws {
        try daemon.note("BecomeCurrent", by: client)
        daemon.change { $0.isCurrent = true }
    }

    func resignCurrent(by client: BusName) throws {
        try daemon.note("ResignCurrent", by: client)
        daemon.change { $0.isCurrent = false }
    }

    func invalidate(by client: BusName) throws {
        try daemon.note("Invalidate", by: client)
    }
}
