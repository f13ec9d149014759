import ArgumentParser
import DBus
import HandoffBus
import HandoffJSON
import HandoffModel
private import Synchronization

/// `handoffctl monitor`: prints every event until interrupted.
struct MonitorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "monitor",
        abstract: "Print all events until interrupted.",
        discussion: """
            Prints every change of the activities of this device, of nearby activities, of
            devices, of pairings and of the radio, and when the daemon stops and starts.
            For debugging an app, it shows the contents of its activities, each save
            request and its result, exactly what another device fetched, which device
            continued it, and how continuations on this device end.
            """
    )

    @OptionGroup var options: GlobalOptions

    func run() async throws {
        try await options.withClient { client, output in
            try await untilInterrupted {
                let hasStarted = Mutex(false)
                try await client.follow { event in
                    let isAgain = hasStarted.withLock { hasStarted in
                        defer { hasStarted = true }
                        return hasStarted
                    }
                    let now = try Timestamp.now
                    switch event {
                    case .started: if isAgain { try output.print(.daemonStarted, at: now) }
                    case .stopped: try output.print(.daemonStopped, at: now)
                    case .signal(let signal, _):
                        for event in MonitorEvent.events(of: signal) { try output.print(event, at: now) }
                    }
                }
            }
        }
    }
}

extension Output {
    /// Prints an event of the monitor with its time.
    fileprivate func print(_ event: MonitorEvent, at time: Timestamp) throws {
        var event = event
        event.time = time.description
        try print(event, "\(time.localClock) \(event.text)")
    }
}

/// One thing that happened to one interface of one object.
struct MonitorEvent: Encodable {
    /// The daemon has stopped, and all its objects with it.
    static let daemonStopped = MonitorEvent(
        "daemonStopped",
        HandoffName.root,
        HandoffName.managerInterface.description,
        [:]
    )
    /// The daemon runs again.
    static let daemonStarted = MonitorEvent(
        "daemonStarted",
        HandoffName.root,
        HandoffName.managerInterface.description,
        [:]
    )

    /// When it was received, as in ISO 8601.
    var time = ""
    /// `added`, `changed` or `removed`, for the signals of an interface their names, such as `fetched`;
    /// `daemonStopped` or `daemonStarted`.
    let event: String
    let object: String
    let interface: String
    let properties: [String: UserInfoJSON]

    /// The events in a signal of the daemon; empty for signals of other kinds.
    static func events(of signal: Signal) -> [MonitorEvent] {
        switch signal.member.description {
        case "PropertiesChanged": changed(signal)
        case "InterfacesAdded": added(signal)
        case "InterfacesRemoved": removed(signal)
        default: own(signal)
        }
    }

    /// One line for people.
    var text: String {
        let name = interface.split(separator: ".").last.map(String.init) ?? interface
        let details = properties.sorted { $0.key < $1.key }.map { " \($0.key)=\(Output.compact($0.value))" }
        return printable("\(event) \(name) \(object)\(details.joined())")
    }

    private static func changed(_ signal: Signal) -> [MonitorEvent] {
        guard signal.arguments.count == 3, let interface = signal.arguments[0].string,
            let properties = signal.arguments[1].stringDictionary
        else { return [] }
        return [MonitorEvent("changed", signal.path, interface, properties)]
    }

    private static func added(_ signal: Signal) -> [MonitorEvent] {
        guard signal.arguments.count == 2, let path = signal.arguments[0].objectPath,
            let interfaces = signal.arguments[1].stringDictionary
        else { return [] }
        return interfaces.sorted { $0.key < $1.key }.filter { $0.key.hasPrefix("org.handoffd.") }.map {
            MonitorEvent("added", path, $0.key, $0.value.stringDictionary ?? [:])
        }
    }

    private static func removed(_ signal: Signal) -> [MonitorEvent] {
        guard signal.arguments.count == 2, let path = signal.arguments[0].objectPath,
            let interfaces = signal.arguments[1].array
        else { return [] }
        return interfaces.compactMap(\.string).filter { $0.hasPrefix("org.handoffd.") }.map {
            MonitorEvent("removed", path, $0, [:])
        }
    }

    /// The event of a signal of our interfaces, with the arguments by name and the details as its properties.
    private static func own(_ signal: Signal) -> [MonitorEvent] {
        guard let known = known[signal.interface]?.first(where: { $0.name == signal.member }),
            known.arguments.map(\.type) == signal.arguments.map(\.type)
        else { return [] }
        let name = known.name.description
        let details = signal.arguments.last?.stringDictionary ?? [:]
        let arguments = zip(known.arguments.dropLast().map(\.name.camelCased), signal.arguments)
        return [
            MonitorEvent(
                name.prefix(1).lowercased() + name.dropFirst(),
                signal.path,
                signal.interface.description,
                details.merging(arguments) { _, argument in argument }
            )
        ]
    }

    /// The signals of the interfaces; the last argument of each is the dictionary of details.
    private static let known = [
        HandoffName.activityInterface: ActivityEvent.descriptions,
        HandoffName.nearbyActivityInterface: NearbyActivityEvent.descriptions,
        HandoffName.pairingInterface: PairingEvent.descriptions,
        HandoffName.appsInterface: AppsInterface.signals,
        HandoffName.documentsInterface: DocumentsInterface.signals,
    ]

    private init(_ event: String, _ path: ObjectPath, _ interface: String, _ properties: [String: Value]) {
        self.event = event
        object = path.description
        self.interface = interface
        self.properties = properties.mapValues { UserInfoJSON(UserInfoCoding.displayValue($0)) }
    }
}

extension String {
    /// `device_name` as `DeviceName`, the form of property names.
    fileprivate var camelCased: String {
        split(separator: "_").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }
}
