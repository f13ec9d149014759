package import DBus

/// An app that continues activities, as exported by `org.handoffd.Apps1`.
package struct AppDescription: Hashable, Sendable {
    package let id: String
    package let name: String
    package let types: [String]
    /// Empty when it has none.
    package let teamID: String
    /// The launch method, by which it gets an activity: `bus`, `program` or `command`.
    package let entrance: String
    /// The types for which the user has made it the default.
    package let defaults: [String]
    /// The domains whose pages it asks to open.
    package let domains: [DomainDescription]

    package init(
        id: String,
        name: String,
        types: [String],
        teamID: String,
        entrance: String,
        defaults: [String],
        domains: [DomainDescription] = []
    ) {
        self.id = id
        self.name = name
        self.types = types
        self.teamID = teamID
        self.entrance = entrance
        self.defaults = defaults
        self.domains = domains
    }

    var value: [String: Value] {
        [
            "ID": .string(id), "Name": .string(name), "Types": types.value, "TeamID": .string(teamID),
            "Entrance": .string(entrance), "Defaults": defaults.value,
            "Domains": .dictionaries(domains.map(\.value)),
        ]
    }

    /// Reads a dictionary; what is absent or of another type is empty.
    package init(_ properties: [String: Value]) {
        id = properties["ID"]?.string ?? ""
        name = properties["Name"]?.string ?? ""
        types = properties["Types"]?.array?.compactMap(\.string) ?? []
        teamID = properties["TeamID"]?.string ?? ""
        entrance = properties["Entrance"]?.string ?? ""
        defaults = properties["Defaults"]?.array?.compactMap(\.string) ?? []
        domains = (properties["Domains"]?.dictionaries ?? []).map(DomainDescription.init)
    }
}

/// A desktop file that declares support for Handoff but cannot be used; encoded as `handoffctl apps --check --json`
/// prints it.
package struct AppFileFault: Hashable, Sendable, Encodable {
    /// The path of the file.
    package let file: String
    /// What is wrong, and which values are allowed.
    package let message: String

    package init(file: String, message: String) {
        self.file = file
        self.message = message
    }

    /// Reads a dictionary; what is absent or of another type is empty.
    init(_ properties: [String: Value]) {
        file = properties["File"]?.string ?? ""
        message = properties["Message"]?.string ?? ""
    }

    fileprivate var value: [String: Value] { ["File": .string(file), "Message": .string(message)] }
}

/// The methods of `org.handoffd.Apps1`, implemented by the daemon.
package protocol AppsHandler: Sendable {
    /// The apps that continue activities, and the files that cannot be used.
    var list: (apps: [AppDescription], faults: [AppFileFault]) { get }
    /// Makes an app the default for activities of a type; an empty id removes the default.
    func setDefault(_ app: String, for type: String) async throws
    /// The types of documents that are opened without a question, each with the id of the app.
    var confirmed: [(type: String, app: String)] { get }
    /// Has the user asked again before documents of a type are opened in an app.
    func removeConfirmed(_ type: String, for app: String) async throws
    /// Has the sites of all domains that apps claim asked again.
    func checkDomains()
}

extension Interface {
    /// `org.handoffd.Apps1`, served by `handler`.
    package static func apps(_ handler: some AppsHandler) -> Interface {
        let list = Method(
            name: "ListApps",
            inputs: [.options],
            outputs: [
                Argument(name: "apps", type: .dictionaries), Argument(name: "faults", type: .dictionaries),
            ]
        ) { _ in
            let (apps, faults) = handler.list
            return .reply([.dictionaries(apps.map(\.value)), .dictionaries(faults.map(\.value))])
        }
        let setDefault = Method(
            name: "SetDefault",
            inputs: [Argument(name: "type", type: .string), Argument(name: "app", type: .string), .options]
        ) { invocation in
            let type = try invocation.arguments.decode(at: 0, as: String.self)
            let app = try invocation.arguments.decode(at: 1, as: String.self)
            return .deferred {
                try await handler.setDefault(app, for: type)
                return []
            }
        }
        let checkDomains = Method(name: "CheckDomains", inputs: [.options]) { _ in
            handler.checkDomains()
            return .reply([])
        }
        let methods = [list, setDefault, listConfirmed(handler), removeConfirmed(handler), checkDomains]
        return Interface(name: HandoffName.appsInterface, methods: methods, signals: appsSignals)
            .annotatedForCodeGenerators()
    }

    private static func listConfirmed(_ handler: some AppsHandler) -> Method {
        let confirmed = Argument(name: "confirmed", type: .dictionaries)
        return Method(name: "ListConfirmedTypes", inputs: [.options], outputs: [confirmed]) { _ in
            .reply([.dictionaries(handler.confirmed.map { ["Type": .string($0.type), "App": .string($0.app)] })])
        }
    }

    private static func removeConfirmed(_ handler: some AppsHandler) -> Method {
        Method(
            name: "RemoveConfirmedType",
            inputs: [Argument(name: "type", type: .string), Argument(name: "app", type: .string), .options]
        ) { invocation in
            let type = try invocation.arguments.decode(at: 0, as: String.self)
            let app = try invocation.arguments.decode(at: 1, as: String.self)
            return .deferred {
                try await handler.removeConfirmed(type, for: app)
                return []
            }
        }
    }

    /// The signals of `org.handoffd.Apps1`.
    package static let appsSignals = [SignalDescription(name: "AppsChanged", arguments: [.details])]
}

extension Signal {
    /// The list of apps, a default, or what is known of a domain has changed.
    package static let appsChanged = Signal(
        path: HandoffName.root,
        interface: HandoffName.appsInterface,
        member: "AppsChanged",
        arguments: [.noOptions]
    )
}
