import ArgumentParser
import DBus
import HandoffBus
import HandoffClient
import HandoffModel
private import Synchronization

/// `handoffctl nearby`: lists the activities that can be continued here.
struct NearbyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "nearby",
        abstract: "List the activities of other devices to continue here.",
        discussion: """
            --watch finds devices sooner, but uses more power; with --now too it waits for what is found
            anyway. With --json, each list is one
            array on one line, and an object tells when the daemon stops or starts again.
            """
    )

    @OptionGroup var options: GlobalOptions

    @Flag(help: "Print the list after each change until interrupted.")
    var watch = false

    @Flag(help: "Print what is known at this moment, without looking around for it.")
    var now = false

    func run() async throws {
        let (watch, now) = (watch, now)
        try await options.withClient { client, output in
            guard watch else {
                let list = now ? try await NearbyList(from: client) : try await NearbyList(lookingAround: client)
                return try output.print(list.documents, list.text)
            }
            try await untilInterrupted { try await Self.follow(client, output, isLooking: !now) }
        }
    }

    /// Shows each change; looks around for them if `isLooking`.
    private static func follow(_ client: HandoffClient, _ output: Output, isLooking: Bool) async throws {
        let shown = ShownList(RedrawnText(output))
        let look: @Sendable () async throws -> Void = { if isLooking { try await client.startLooking() } }
        try await client.follow([.status, .rules, .nearby, .distances], prepare: look) { event in
            switch event {
            case .started(let mirror):
                if shown.isStale { try shown.showDaemon(isRunning: true) }
                try shown.show(try NearbyList(mirror))
            case .stopped:
                try shown.showDaemon(isRunning: false)
                if output.isJSON { try output.write("[]") }
            case .signal(_, let mirror):
                let list = try NearbyList(mirror)
                if shown.differs(from: list, forPeople: !output.isJSON) { try shown.show(list) }
            }
        }
    }

    /// What `nearby --watch` has shown last.
    private final class ShownList: Sendable {
        private enum State {
            case nothing, stopped
            case list(NearbyList)
        }

        private let text: RedrawnText
        private let state = Mutex(State.nothing)

        init(_ text: RedrawnText) {
            self.text = text
        }

        /// Whether the daemon has stopped since the last list.
        var isStale: Bool { state.withLock { if case .stopped = $0 { true } else { false } } }

        /// Whether a list has to be shown in place of the last one.
        func differs(from new: NearbyList, forPeople: Bool) -> Bool {
            state.withLock { state in
                guard case .list(let old) = state else { return true }
                return old.rows != new.rows || forPeople && old.obstacle != new.obstacle
            }
        }

        func show(_ new: NearbyList) throws {
            state.withLock { $0 = .list(new) }
            try text.show(new.documents, new.text)
        }

        /// Shows that the daemon has stopped, or runs again.
        func showDaemon(isRunning: Bool) throws {
            state.withLock { $0 = isRunning ? .nothing : .stopped }
            try text.show(
                ["event": isRunning ? "daemonStarted" : "daemonStopped"],
                isRunning ? "handoffd runs again" : "handoffd has stopped: nothing is known about nearby activities"
            )
        }
    }
}

/// The nearby activities at one moment, as the command shows them.
private struct NearbyList: Sendable {
    private let nearby: [NearbyActivityDescription]
    /// Why there may be none; nil when there are some, or for no reason.
    let obstacle: String?

    /// Gets the list from the daemon, and the reason why it may be empty.
    init(from client: HandoffClient) async throws {
        try self.init(try await client.mirror([.status, .rules, .nearby, .distances], startsService: true))
    }

    /// The list that the daemon tells, and the reason why it may be empty.
    init(_ mirror: DaemonMirror) throws {
        nearby = mirror.objects.nearby
        guard nearby.isEmpty else {
            obstacle = nil
            return
        }
        let failure = try mirror.rules.pauseFailure ?? mirror.status.radioFailure
        let scanning = mirror.status.scanning.message
        obstacle = failure?.message ?? (scanning.isEmpty ? nil : scanning)
    }

    /// Gets the list from the daemon, after a ``BriefLook`` if nothing is known.
    init(lookingAround client: HandoffClient) async throws {
        let look = try await BriefLook(client: client).all()
        nearby = look.found ?? []
        obstacle = nearby.isEmpty ? try await Self.obstacle(client, look.message) : nil
    }

    private static func obstacle(_ client: HandoffClient, _ scanning: String) async throws -> String? {
        try await client.nearbyObstacle()?.message ?? (scanning.isEmpty ? nil : scanning)
    }

    var documents: [NearbyDocument] { nearby.map(NearbyDocument.init) }

    /// The list for people.
    var text: String {
        nearby.isEmpty ? "nothing nearby" + (obstacle.map { ": " + printable($0) } ?? "") : Self.table(nearby)
    }

    var rows: [Row] { nearby.map(Row.init) }

    /// The values whose change prints the list again.
    struct Row: Equatable {
        let id: Int
        let device: String
        let type: String
        let hasWebpage: Bool
        let launchTarget: String
        let rssi: Int16?

        init(_ activity: NearbyActivityDescription) {
            id = activity.id
            device = activity.deviceName
            type = activity.type
            hasWebpage = activity.hasWebpage
            launchTarget = activity.opensWith + activity.application
            rssi = activity.rssi
        }
    }

    private static func table(_ nearby: [NearbyActivityDescription]) -> String {
        var table = Table("ID", "DEVICE", "ACTIVITY", "OPENS WITH", "SIGNAL")
        for activity in nearby {
            table.append(
                "\(activity.id)",
                printable(activity.deviceName),
                activity.type.isEmpty ? (activity.hasWebpage ? "web page" : "of another app") : activity.type,
                printable(activity.targetName),
                activity.rssi.map { "\($0) dBm" } ?? "-"
            )
        }
        return ([table.text] + hints(nearby)).joined(separator: "\n")
    }

    /// What a person can do about activities that nothing here is known to open.
    private static func hints(_ nearby: [NearbyActivityDescription]) -> [String] {
        let unknown = nearby.filter { $0.opensWith == "none" }
        guard let first = unknown.first else { return [] }
        let ids = unknown.map { String($0.id) }.joined(separator: ", ")
        return [
            "No app here is made for \(ids), and there is no web page.",
            "`handoffctl continue \(first.id) --print` shows it.",
        ]
    }
}

extension NearbyActivityDescription {
    /// The name of what would open it, for people.
    fileprivate var targetName: String {
        switch opensWith {
        case "app": applicationName
        case "browser": "browser"
        case "document": "its document"
        default: "no app here"
        }
    }
}

/// One element of what `handoffctl nearby --json` prints.
struct NearbyDocument: Encodable {
    let id: Int
    let device: String
    let deviceName: String
    let type: String?
    let typeHash: String
    let hasWebpage: Bool
    let hasDocument: Bool
    /// `app`, `browser`, `document` or `none`.
    let opensWith: String
    let application: String?
    let applicationName: String?
    let rssi: Int16?
    /// As in ISO 8601.
    let firstSeen: String?
    /// As in ISO 8601.
    let lastSeen: String?

    init(_ activity: NearbyActivityDescription) {
        id = activity.id
        device = activity.deviceID
        deviceName = activity.deviceName
        type = activity.type.isEmpty ? nil : activity.type
        typeHash = activity.typeHash
        hasWebpage = activity.hasWebpage
        hasDocument = activity.hasDocument
        opensWith = activity.opensWith
        application = activity.application.isEmpty ? nil : activity.application
        applicationName = activity.applicationName.isEmpty ? nil : activity.applicationName
        rssi = activity.rssi
        firstSeen = Timestamp(microseconds: activity.firstSeen)?.description
        lastSeen = Timestamp(microseconds: activity.lastSeen)?.description
    }
}
