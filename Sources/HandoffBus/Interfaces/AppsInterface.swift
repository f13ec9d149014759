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

/// The members of `org.handoffd.Apps1`.
package enum AppsInterface {
    private static let name = HandoffName.appsInterface

    package static let listApps = MethodDeclaration(
        name,
        "ListApps",
        "Returns the apps with the types they claim, and the desktop files that cannot be used.",
        [.options],
        returns: [
            Argument(
                "apps",
                .dictionaries,
                """
                for each app ID (s), Name (s), Types (as), TeamID (s), Entrance (s), Defaults (as), Domains (aa{sv})
                """
            ),
            Argument(
                "faults",
                .dictionaries,
                """
                for each desktop file that cannot be used File (s), its path, and Message (s), what is wrong with it
                """
            ),
        ]
    )
    package static let setDefault = MethodDeclaration(
        name,
        "SetDefault",
        "Makes an app the first to get activities of a type.",
        [
            Argument("type", .string, "the activity type"),
            Argument("app", .string, "the id of the app; empty for none"), .options,
        ]
    )
    package static let listConfirmedTypes = MethodDeclaration(
        name,
        "ListConfirmedTypes",
        "Returns the types of documents that are opened without a question.",
        [.options],
        returns: [
            Argument(
                "confirmed",
                .dictionaries,
                "for each Type (s), the MIME type, and App (s), the id of the app"
            )
        ]
    )
    package static let removeConfirmedType = MethodDeclaration(
        name,
        "RemoveConfirmedType",
        "Has the user asked again before documents of a type are opened in an app.",
        [Argument("type", .string, "the MIME type"), Argument("app", .string, "the id of the app"), .options]
    )
    package static let checkDomains = MethodDeclaration(
        name,
        "CheckDomains",
        "Has the sites of all domains that apps claim asked again; AppsChanged follows.",
        [.options]
    )
    /// The signals of the interface.
    package static let signals = [
        SignalDescription(
            name: "AppsChanged",
            """
            An app was installed, changed or removed, the default of a type has changed, or a site was asked: list the
            apps again.
            """,
            arguments: [.details]
        )
    ]

    package static let declaration = InterfaceDeclaration(
        name,
        "the apps of this computer that continue activities",
        methods: [listApps, setDefault, listConfirmedTypes, removeConfirmedType, checkDomains],
        signals: signals
    )
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
        Interface(
            AppsInterface.declaration,
            methods: [
                AppsInterface.listApps.served { _ in
                    let (apps, faults) = handler.list
                    return .reply([.dictionaries(apps.map(\.value)), .dictionaries(faults.map(\.value))])
                },
                AppsInterface.setDefault.served { invocation in
                    let type = try invocation.argument(0, as: String.self)
                    let app = try invocation.argument(1, as: String.self)
                    return .doneAfter { try await handler.setDefault(app, for: type) }
                },
                AppsInterface.listConfirmedTypes.served { _ in
                    let types = handler.confirmed.map { ["Type": Value.string($0.type), "App": .string($0.app)] }
                    return .reply([.dictionaries(types)])
                },
                AppsInterface.removeConfirmedType.served { invocation in
                    let type = try invocation.argument(0, as: String.self)
                    let app = try invocation.argument(1, as: String.self)
                    return .doneAfter { try await handler.removeConfirmed(type, for: app) }
                },
                AppsInterface.checkDomains.served { _ in
                    handler.checkDomains()
                    return .done
                },
            ]
        )
    }
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
