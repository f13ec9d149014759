import ArgumentParser
import DBus
import HandoffBus

/// `handoffctl nearby`: lists the activities that can be continued here.
struct NearbyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "nearby",
        abstract: "List the activities of other devices to continue here.",
        discussion: """
            --watch finds devices sooner, but uses more power. With --json, each list is one
            array on one line.
            """
    )

    @OptionGroup var options: GlobalOptions

    @Flag(help: "Print the list after each change until interrupted.")
    var watch = false

    func run() async throws {
        let watch = watch
        try await options.withClient { client, output in
            guard watch else { return try output.show(try await client.objects().nearby) }
            try await untilInterrupted { try await Self.follow(client, output) }
        }
    }

    private static func follow(_ client: HandoffClient, _ output: Output) async throws {
        try await client.withSignals { signals in
            try await client.startLooking()
            var shown = try await client.objects().nearby.map(Row.init)
            try output.show(try await client.objects().nearby)
            for try await _ in signals {
                let nearby = try await client.objects().nearby
                let rows = nearby.map(Row.init)
                guard rows != shown else { continue }
                shown = rows
                try output.show(nearby)
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
    fileprivate func show(_ nearby: [NearbyActivityDescription]) throws {
        try print(nearby.map(NearbyDocument.init), nearby.isEmpty ? "nothing nearby" : Self.table(nearby))
    }

    private static func table(_ nearby: [NearbyActivityDescription]) -> String {
        var table = Table("ID", "DEVICE", "ACTIVITY", "OPENS WITH", "SIGNAL")
        for activity in nearby {
            table.append(
                "\(activity.id)",
                printable(activity.deviceName),
                activity.type.isEmpty ? "(type \(activity.typeHash))" : activity.type,
                printable(activity.targetName),
                activity.rssi.map { "\($0) dBm" } ?? "-"
            )
        }
        return table.text
    }
}

extension NearbyActivityDescription {
    /// The name of what would open it, for people.
    fileprivate var targetName: String {
        switch opensWith {
        case "app": applicationName
        case "browser": "browser"
        case "document": "its document"
        default: "nothing (no app, no web page)"
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
    /// Microseconds since 1970.
    let firstSeen: UInt64
    /// Microseconds since 1970.
    let lastSeen: UInt64

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
        firstSeen = activity.firstSeen
        lastSeen = activity.lastSeen
    }
}
