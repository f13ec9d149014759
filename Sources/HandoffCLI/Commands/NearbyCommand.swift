import ArgumentParser
import DBus
import HandoffBus
import HandoffModel
private import Synchronization

/// `handoffctl nearby`: lists the activities that can be continued here.
struct NearbyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "nearby",
        abstract: "List the activities of other devices to continue here.",
        discussion: """
            --watch finds devices sooner, but uses more power. With --json, each list is one
            array on one line, and an object tells when the daemon stops or starts again.
            """
    )

    @OptionGroup var options: GlobalOptions

    @Flag(help: "Print the list after each change until interrupted.")
    var watch = false

    func run() async throws {
        let watch = watch
        try await options.withClient { client, output in
            guard watch else {
                let nearby = try await client.objects().nearby
                return try output.show(nearby, nearby.isEmpty ? try await client.rules() : nil)
            }
            try await untilInterrupted { try await Self.follow(client, output) }
        }
    }

    private static func follow(_ client: HandoffClient, _ output: Output) async throws {
        let list = ShownList()
        try await client.follow { event in
            switch event {
            case .started:
                if list.isStale { try output.showDaemon(isRunning: true) }
                try await client.startLooking()
                let nearby = try await client.objects().nearby
                list.replace(with: nearby.map(Row.init))
                try output.show(nearby, nearby.isEmpty ? try await client.rules() : nil)
            case .stopped:
                list.isStale = true
                try output.showDaemon(isRunning: false)
                if output.isJSON { try output.show([]) }
            case .signal:
                let nearby = try await client.objects().nearby
                guard list.replace(with: nearby.map(Row.init)) else { return }
                try output.show(nearby)
            }
        }
    }

    /// The list that was printed last.
    private final class ShownList: Sendable {
        private let state = Mutex<(rows: [Row], isStale: Bool)>(([], false))

        /// Whether the daemon that it is from has stopped.
        var isStale: Bool {
            get { state.withLock { $0.isStale } }
            set { state.withLock { $0.isStale = newValue } }
        }

        /// Replaces the list; returns whether the new one differs.
        @discardableResult
        func replace(with rows: [Row]) -> Bool {
            state.withLock { state in
                defer { state = (rows, false) }
                return rows != state.rows
            }
        }
    }

    /// The values whose change prints the list again.
    private struct Row: Equatable {
        let id: Int
        let type: String
        let hasWebpage: Bool
        let launchTarget: String
        let rssi: Int16?

        init(_ activity: NearbyActivityDescription) {
            id = activity.id
            type = activity.type
            hasWebpage = activity.hasWebpage
            launchTarget = activity.opensWith + activity.application
            rssi = activity.rssi
        }
    }
}

extension Output {
    /// Prints the list of nearby activities.
    ///
    /// - Parameter rules: the rules, which may be the reason why the list is empty.
    fileprivate func show(_ nearby: [NearbyActivityDescription], _ rules: RulesStatus? = nil) throws {
        let pause = try rules?.pauseSentence(at: .now)
        let nothing = "nothing nearby" + (pause.map { ": " + $0 } ?? "")
        try print(nearby.map(NearbyDocument.init), nearby.isEmpty ? nothing : Self.table(nearby))
    }

    /// Prints that the daemon has stopped, or runs again.
    fileprivate func showDaemon(isRunning: Bool) throws {
        let document = ["event": isRunning ? "daemonStarted" : "daemonStopped"]
        try print(
            document,
            isRunning ? "handoffd runs again" : "handoffd has stopped: nothing is known about nearby activities"
        )
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
            "No app here is made for \(ids), and there is no web page. `handoffctl continue \(first.id) --print` shows it."
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
