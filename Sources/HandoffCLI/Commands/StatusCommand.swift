import ArgumentParser
import DBus
import HandoffBus
import HandoffModel

/// `handoffctl status`: shows whether everything works, and what to do if not.
struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show whether everything works, and what to do if not.",
        discussion: """
            --check is for scripts: it prints one line for each problem, and the exit status
            is 1 if there is one. What you have switched off is no problem.
            """
    )

    @OptionGroup var options: GlobalOptions

    @Flag(help: "Print problems only; exit status 1 if there is one.")
    var check = false

    @Flag(help: "With --check: print nothing.")
    var quiet = false

    func validate() throws {
        guard check || !quiet else { throw ValidationError("--quiet goes with --check.") }
    }

    func run() async throws {
        guard !quiet else { return try await runQuietly() }
        let check = check
        try await options.withClient { client, output in
            let report = try await StatusReport(from: client)
            guard check else { return try output.print(StatusDocument(report), report.text) }
            for problem in report.problems where !output.isJSON {
                try output.write(printable("\(problem.name): \(problem.message)"))
            }
            if output.isJSON { try output.print(report.problems, "") }
            if !report.problems.isEmpty { throw ExitCode(ExitStatus.failed.rawValue) }
        }
    }

    /// Checks without a word, also if there is no daemon.
    private func runQuietly() async throws {
        do {
            try await Connection.withConnection(to: BusAddress(argument: options.bus)) { connection in
                let report = try await StatusReport(from: HandoffClient(connection: connection))
                if !report.problems.isEmpty { throw ExitCode(ExitStatus.failed.rawValue) }
            }
        } catch let error as DBusError {
            throw ExitCode(ExitStatus(error).rawValue)
        }
    }
}

/// What the daemon tells about itself, for `handoffctl status`.
struct StatusReport: Sendable {
    let status: DaemonStatus
    let objects: HandoffObjects
    let rules: RulesStatus
    /// The settings that hold after a restart only.
    let needRestart: [String]
}

extension StatusReport {
    /// Asks the daemon.
    init(from client: HandoffClient) async throws {
        status = try await client.status()
        objects = try await client.objects()
        rules = try await client.rules()
        needRestart = try await client.settingsThatNeedRestart()
    }

    /// What should work and does not, the most important first.
    var problems: [DaemonProblem] { status.problems(trustedDevices: objects.devices.count) }

    /// The report for people.
    var text: String {
        var table = Table("handoffd", status.version)
        table.append("this device", "\(printable(status.deviceName)) (\(status.deviceID))")
        table.append(
            "radio",
            status.radioState == "ready" ? "ready (\(printable(status.radioMessage)))" : radioWords(status.radioState)
        )
        if let scanning = scanningWords { table.append("scanning", scanning) }
        table.append("current activity", current)
        table.append("trusted devices", "\(objects.devices.count)")
        table.append("nearby activities", "\(objects.nearby.count)")
        if rules.isReceiveOnly { table.append("receive-only", "on") }
        if !rules.rules.isEmpty { table.append("rules", "\(rules.rules.count)") }
        let restart = "These settings hold after a restart of handoffd: \(needRestart.joined(separator: ", "))."
        let sentences =
            [try? rules.pauseSentence(at: .now)].compactMap(\.self)
            + (status.radioState == "ready" ? [] : [status.radioMessage])
            + (status.scanning.isRestrained ? [status.scanning.message] : [])
            + rules.withheld.filter { $0.reason != "paused" }.map(Self.sentence)
            + status.advisories.map { "\($0.name): \($0.message)" }
            + (needRestart.isEmpty ? [] : [restart])
            + silences
            + (objects.devices.isEmpty ? [DaemonProblem.noDevices.message] : [])
        return ([table.text] + sentences.map { "\n" + printable($0) }).joined(separator: "\n")
    }

    /// Which devices were not heard for a day.
    private var silences: [String] {
        guard let now = try? Timestamp.now else { return [] }
        return objects.devices.compactMap { $0.silence(at: now) }
            .map { "\($0): it is away or switched off, or has offered nothing." }
    }

    /// How much is scanned, in words for people; nil when the daemon does not tell.
    private var scanningWords: String? {
        switch (status.scanning.effort, status.scanning.interval) {
        case ("none", _): "no"
        case ("continuous", _): "continuously"
        case ("windows", let interval?): "1 s of every \(interval / 1_000_000) s"
        default: nil
        }
    }

    private var current: String {
        guard let type = objects.type(of: status.currentActivity) else { return "none" }
        let isWithheld =
            status.advisories.contains { $0.name == "withheld" }
            || rules.withheld.contains { $0.activity == status.currentActivity && $0.device.isEmpty }
        return isWithheld ? "\(type) (not offered now)" : type
    }

    private static func sentence(about withheld: WithheldDescription) -> String {
        let type = withheld.type.isEmpty ? "an activity" : withheld.type
        let what =
            withheld.activity == nil
            ? "\(type) of \(withheld.deviceName) is not shown"
            : withheld.device.isEmpty ? "\(type) is not offered" : "\(type) is not given to \(withheld.deviceName)"
        return "\(what). \(withheld.message)"
    }

    /// The state of a radio that does not work, in words for people; the sentence about it follows.
    private func radioWords(_ state: String) -> String {
        switch state {
        case "NoBluetoothService": "no bluetoothd"
        case "NoAdapter": "no adapter"
        case "BluetoothOff": "switched off"
        case "BluetoothBlocked": "blocked"
        default: "unavailable"
        }
    }
}

extension HandoffObjects {
    /// The type of an activity of this device; nil if there is no such activity.
    fileprivate func type(of activity: ObjectPath) -> String? {
        activities.first { $0.path == activity }?.properties["Type"]?.string
    }
}

/// What `handoffctl status --json` prints.
struct StatusDocument: Encodable {
    struct Advisory: Encodable {
        let name: String
        let message: String
    }

    /// An activity that the rules withhold.
    struct Withheld: Encodable {
        /// The object of an activity of this device; nil for one of another device.
        let activity: String?
        let device: String?
        let deviceName: String?
        let type: String?
        let reason: String
        let kind: String?
        let value: String?
        let message: String

        init(_ withheld: WithheldDescription) {
            func text(_ text: String) -> String? { text.isEmpty ? nil : text }
            activity = withheld.activity?.description
            device = text(withheld.device)
            deviceName = text(withheld.deviceName)
            type = text(withheld.type)
            reason = withheld.reason
            kind = text(withheld.kind)
            value = text(withheld.value)
            message = withheld.message
        }
    }

    /// How much the daemon scans, and why not more.
    struct Scanning: Encodable {
        let effort: String
        /// In microseconds.
        let interval: UInt64?
        let reason: String?
        let message: String?

        init(_ scanning: ScanningDescription) {
            effort = scanning.effort
            interval = scanning.interval
            reason = scanning.reason.isEmpty ? nil : scanning.reason
            message = scanning.message.isEmpty ? nil : scanning.message
        }
    }

    let version: String
    let protocolVersion: UInt32
    let deviceID: String
    let deviceName: String
    let radioState: String
    let radioMessage: String
    let advisories: [Advisory]
    let scanning: Scanning
    let currentActivity: String?
    let currentActivityType: String?
    let trustedDevices: Int
    let nearbyActivities: Int
    let paused: Bool
    let pausedUntil: String?
    let receiveOnly: Bool
    let withheld: [Withheld]
    let needRestart: [String]

    init(_ report: StatusReport) {
        let (status, objects, rules) = (report.status, report.objects, report.rules)
        version = status.version
        protocolVersion = status.protocolVersion
        deviceID = status.deviceID
        deviceName = status.deviceName
        radioState = status.radioState
        radioMessage = status.radioMessage
        advisories = status.advisories.map { Advisory(name: $0.name, message: $0.message) }
        scanning = Scanning(status.scanning)
        currentActivity = status.currentActivity == .root ? nil : status.currentActivity.description
        currentActivityType = objects.type(of: status.currentActivity)
        trustedDevices = objects.devices.count
        nearbyActivities = objects.nearby.count
        paused = rules.isPaused
        pausedUntil = Timestamp(microseconds: rules.pausedUntil)?.description
        receiveOnly = rules.isReceiveOnly
        withheld = rules.withheld.map(Withheld.init)
        needRestart = report.needRestart
    }
}
