import DBus
import Foundation
import HandoffBus
import HandoffCrypto
import HandoffModel
import HandoffTestSupport
import TestRuns
import Testing

/// One running handoffd and its bus.
struct Device: Sendable {
    let name: String
    let world: World
    let bus: PrivateBus
    let process: ChildProcess
    let log: Transcript

    /// Sends the daemon a signal.
    func signal(_ number: Int32) {
        kill(process.processID, number)
    }

    /// Stops the daemon.
    func stop() async throws {
        signal(SIGTERM)
        #expect(await process.exitStatus() == 0)
    }

    /// Runs handoffctl to its end.
    func run(_ arguments: String...) async throws -> ProgramResult {
        try await run(arguments)
    }

    /// Runs handoffctl to its end.
    func run(_ arguments: [String]) async throws -> ProgramResult {
        let all = ["--bus", bus.address.description] + arguments
        return try await HandoffTestSupport.run(Programs.handoffctl, all, environment: world.environment)
    }

    /// The JSON that handoffctl prints.
    func json(_ arguments: String...) async throws -> JSON {
        let result = try await run(["--json"] + arguments)
        try #require(result.status == 0, "handoffctl \(arguments): \(result.stderr)")
        return try JSON(result.stdout)
    }

    /// Trusts `other` by its card.
    func trust(_ other: Device) async throws {
        let card = try await other.connected { try await $0.card() }
        _ = try await connected { try await $0.trust(card: card) }
    }

    /// Makes this device and `other` trust each other by their cards.
    func trustEachOther(_ other: Device) async throws {
        try await trust(other)
        try await other.trust(self)
    }

    /// Shows an activity of this device to one that trusts it, until both have exchanged their circles and keys: until then
    /// the other one hears [turns](Docs/Protocol.md) for it alone.
    func meet(_ other: Device) async throws {
        try await publishing("org.example.meeting") { _ in
            try await other.watching(isLooking: true) { watcher in
                _ = try await watcher.one()
                try await log.event("circle.exchanged")
                try await other.log.event("circle.exchanged")
            }
        }
        try await other.watching(isLooking: true) { try await $0.none() }
    }

    /// This device's id.
    var id: String {
        get async throws { try await connected { try await $0.status().deviceID } }
    }

    /// The key of the present day under which the daemon advertises, as its state directory has it.
    var advertisingKey: AdvertisingKey {
        get throws {
            let today = UInt32(Date.now.timeIntervalSince1970 / 86400)
            return try #require(try advertisingKeyRecord.daily.advanced(to: today)).key
        }
    }

    /// The key under which the daemon advertises, as its state directory has it.
    var advertisingKeyRecord: AdvertisingKeyRecord {
        get throws {
            let bytes = try #require(Data(base64Encoded: try circleFile["advertisingKey"].string))
            return try AdvertisingKeyRecord(rawRepresentation: bytes)
        }
    }

    /// What the daemon keeps about its circle.
    var circleFile: JSON {
        get throws {
            let file = try String(contentsOfFile: world.stateDirectory(of: name) + "/devices", encoding: .utf8)
            return try JSON(String(file.drop { $0 != "\n" }))
        }
    }

    /// Runs `body` while `handoffctl publish` offers an activity, once the activity is current.
    func publishing(
        _ type: String,
        _ options: [String] = [],
        body: @escaping @Sendable (ChildProcess) async throws -> Void
    ) async throws {
        try await withControl(["publish", "--type", type] + options) { process, output in
            _ = try await output.first { $0.isEmpty ? nil : $0 }
            try await body(process)
        }
    }

    /// Runs `body` with the output of `handoffctl nearby --watch`.
    ///
    /// - Parameters:
    ///   - isLooking: whether the device scans continuously meanwhile, as for a person who looks at the list. Without, it
    ///     scans in the background, as it does nearly always.
    ///   - body: gets the lists.
    func watching(
        isLooking: Bool = false,
        _ body: @escaping @Sendable (NearbyWatcher) async throws -> Void
    ) async throws {
        try await withControl(["nearby", "--watch"] + (isLooking ? [] : ["--now"])) { _, output in
            _ = try await output.first { $0 }
            try await body(NearbyWatcher(output: output))
        }
    }

    /// Runs `body` with a running handoffctl and its output; the process is killed afterwards if it still runs.
    func withControl(
        _ arguments: [String],
        body: @escaping @Sendable (ChildProcess, Transcript) async throws -> Void
    ) async throws {
        let all = ["--bus", bus.address.description, "--json"] + arguments
        try await withTranscript(of: Programs.handoffctl, all, environment: world.environment, body)
    }

    /// Waits until `condition` holds, which is evaluated now and after each signal of the daemon.
    ///
    /// - Parameters:
    ///   - what: what is awaited, in words.
    ///   - isLooking: whether the daemon scans continuously meanwhile.
    ///   - condition: is called with a client that reads the state of the daemon.
    func until(
        _ what: String,
        isLooking: Bool = false,
        at place: String = #fileID,
        line: Int = #line,
        _ condition: @escaping @Sendable (HandoffClient) async throws -> Bool
    ) async throws {
        try await awaiting("\(what) on \(name)", at: place, line: line) {
            try await connected { client in
                if isLooking { try await client.startLooking() }
                try await client.first { try await condition(client) ? () : nil }
            }
        }
    }

    /// Waits until an activity of that type is current; nil for none.
    func untilCurrent(_ type: String?, at place: String = #fileID, line: Int = #line) async throws {
        try await until("\(type ?? "nothing") as the current activity", at: place, line: line) { client in
            try await client.currentType == type
        }
    }

    /// Waits until an activity of this device has that userInfo.
    func untilPublished(_ userInfo: [String: Value]) async throws {
        try await until("an activity with \(userInfo)") { client in
            try await client.objects().activities.contains { activity in
                activity.properties["UserInfo"]?.stringDictionary?.mapValues(\.unwrapped) == userInfo
            }
        }
    }

    /// Waits until the app of an activity has newer state than it has saved.
    func untilUnsaved() async throws {
        try await until("newer state of an app") { client in
            try await client.objects().activities.contains { $0.properties["NeedsSave"] == .boolean(true) }
        }
    }

    /// The nearest activity, once it can be fetched and fulfils `condition`: it is fetched now and after each signal of
    /// the daemon, so its app has to have set what is awaited before.
    @discardableResult
    func fetchNearest(
        until condition: @escaping @Sendable (Activity) -> Bool = { _ in true }
    ) async throws -> Activity {
        try await awaiting("the nearest activity on \(name)") {
            try await connected { client in
                try await client.startLooking()
                return try await client.first { () -> Activity? in
                    guard let nearest = try await client.objects().nearby.first,
                        // One that has just ended or changed cannot be fetched.
                        let activity = try? await client.fetchActivity(nearest.path), condition(activity)
                    else { return nil }
                    return activity
                }
            }
        }
    }

    /// Runs `body` with a client connection to this device's bus.
    func connected<Success: Sendable>(
        _ body: @escaping @Sendable (HandoffClient) async throws -> Success
    ) async throws -> Success {
        try await Connection.withConnection(to: bus.address) { try await body(HandoffClient(connection: $0)) }
    }
}

/// The lists that `handoffctl nearby --watch --json` prints.
struct NearbyWatcher: Sendable {
    let output: Transcript

    /// The first list that fulfils `condition`, from the newest list on.
    @discardableResult
    func until(_ condition: @escaping @Sendable ([JSON]) throws -> Bool) async throws -> [JSON] {
        try await output.first(from: max(0, output.lines.count - 1)) { line in
            let rows = try JSON(line).array
            return try condition(rows) ? rows : nil
        }
    }

    /// The one nearby activity, once there is exactly one.
    func one() async throws -> JSON {
        try #require(try await until { $0.count == 1 }.first)
    }

    /// Waits until no activity is nearby.
    func none() async throws {
        try await until(\.isEmpty)
    }
}

/// A JSON document, read leniently: a missing value is null.
struct JSON: Sendable, Equatable, CustomStringConvertible {
    private indirect enum Node: Sendable, Equatable {
        case object([String: Node]), array([Node]), string(String), number(Double), boolean(Bool), null
    }

    private let node: Node

    /// Parses one document.
    init(_ text: String) throws {
        node = try JSONDecoder().decode(Decoded.self, from: Data(text.utf8)).node
    }

    private init(_ node: Node) {
        self.node = node
    }

    subscript(key: String) -> JSON {
        if case .object(let entries) = node { JSON(entries[key] ?? .null) } else { JSON(.null) }
    }

    var array: [JSON] { if case .array(let items) = node { items.map(JSON.init) } else { [] } }
    var string: String { if case .string(let text) = node { text } else { "" } }
    var number: Double? { if case .number(let number) = node { number } else { nil } }
    /// A time as in ISO 8601.
    var time: Timestamp? { try? Timestamp(string) }
    var boolean: Bool? { if case .boolean(let boolean) = node { boolean } else { nil } }
    var isNull: Bool { node == .null }
    var description: String { "\(node)" }

    private struct Decoded: Decodable {
        let node: Node

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if container.decodeNil() {
                node = .null
            } else if let value = try? container.decode(Bool.self) {
                node = .boolean(value)
            } else if let value = try? container.decode(Double.self) {
                node = .number(value)
            } else if let value = try? container.decode(String.self) {
                node = .string(value)
            } else if let value = try? container.decode([Decoded].self) {
                node = .array(value.map(\.node))
            } else {
                node = .object(try container.decode([String: Decoded].self).mapValues(\.node))
            }
        }
    }
}
