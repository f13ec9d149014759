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
        connection.objects.insert([.nearbyActivity(FakeNearbyActivity(daemon: self))], at: Self.nearby)
        connection.objects.insert([.device(FakeDevice(daemon: self))], at: Self.device)
    }

    /// Returns what the next fetch returns.
    func nextRemote() throws -> Activity {
        let activity = state.withLock { state in
            state.remote.count > 1 ? state.remote.removeFirst() : state.remote.first
        }
        guard let activity else { throw HandoffErrorName.peerUnreachable.reply("desk cannot be reached.") }
        return activity
    }
}

/// `NearbyActivity1` of the fake.
struct FakeNearbyActivity: NearbyActivityHandler {
    let daemon: FakeDaemon

    var description: NearbyActivityDescription {
        var description = NearbyActivityDescription(
            id: 7,
            of: DeviceID(number: 0x0123_4567_89AB_CDEF),
            typeHash: ActivityTypeHash(number: 0x0102_0304)
        )
        description.deviceName = "desk"
        description.type = FakeDaemon.type
        description.hasWebpage = true
        description.rssi = -40
        description.firstSeen = 3
        description.lastSeen = 4
        return description
    }

    func fetch(by caller: Caller, _ options: FetchOptions) -> @Sendable () async throws -> FetchedActivity {
        {
            try daemon.note(options.purpose == .preview ? "Fetch" : "Fetch \(options.purpose)", by: caller.name)
            return FetchedActivity(try daemon.nextRemote(), continuation: nil)
        }
    }

    func `continue`(
        by caller: Caller,
        _ options: ContinuationOptions
    ) -> @Sendable () async throws -> ContinuationResult {
        { ContinuationResult(outcome: "browser", application: "") }
    }

    func cancel(by client: BusName) {
        try? daemon.note("Cancel", by: client)
    }
}

/// `Device1` of the fake.
struct FakeDevice: DeviceHandler {
    let daemon: FakeDaemon

    var description: DeviceDescription {
        var description = DeviceDescription(id: FakeDaemon.deviceID)
        description.name = "desk"
        description.protocolVersion = 1
        description.lastSeen = 5
        return description
    }

    var consequencesOfRemoval: RemovalConsequences {
        let phone = RemovalConsequences.Device(id: "0123456789abcdef", name: "phone")
        return RemovalConsequences(orphaned: [phone], removed: [])
    }

    func remove() throws {
        try daemon.note("Remove", by: "org.example.unknown")
    }

    func rename(to name: String) throws {
        try daemon.note("Rename \(name)", by: "org.example.unknown")
    }
}

/// `Manager1` of the fake.
struct FakeManager: ManagerHandler {
    let daemon: FakeDaemon

    var status: DaemonStatus {
        var status = DaemonStatus()
        status.version = "1.2.3"
        status.protocolVersion = 1
        status.deviceID = "fedcba9876543210"
        status.deviceName = "laptop"
        status.radioState = "ready"
        status.radioMessage = "hci0"
        status.advisories = [("SlowAdvertising", "Set it faster.")]
        status.scanning = ScanningDescription(
            effort: "windows",
            interval: 60_000_000,
            reason: "unheard",
            message: "Nobody was heard."
        )
        status.questions = [
            DeviceQuestion(id: "0123456789abcdef", name: "phone", reason: .disputed, others: ["laptop", "tablet"])
        ]
        if daemon.read(\.isCurrent) { status.currentActivity = FakeDaemon.activity }
        return status
    }

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
