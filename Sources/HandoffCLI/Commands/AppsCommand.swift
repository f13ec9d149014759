import ArgumentParser
import HandoffBus
import HandoffModel

/// `handoffctl apps`: lists the apps that continue activities here, and sets defaults.
struct AppsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apps",
        abstract: "List the apps that continue activities; set defaults.",
        usage: """
            handoffctl apps [--check [--again]]
            handoffctl apps --default <type> [<app>]
            handoffctl apps --confirmed
            handoffctl apps --forget <type> <app>
            """
    )

    @OptionGroup var options: GlobalOptions

    @Flag(help: "List invalid desktop files, and domains; exit status 1 if any is not in order.")
    var check = false

    @Flag(help: "With --check: ask the sites of the domains again first.")
    var again = false

    @Flag(name: .customLong("default"), help: "Make APP the default for TYPE; without APP, clear it.")
    var isDefault = false

    @Flag(help: "List the types of documents that are opened without a question, as you have agreed.")
    var confirmed = false

    @Flag(help: "Ask again before documents of TYPE are opened in APP.")
    var forget = false

    @Argument(
        help: "With --default: the activity type; with --forget: the MIME type.",
        completion: KnownNames.appTypes.completion
    )
    var type: String?

    @Argument(help: "With --default or --forget: the app id.", completion: KnownNames.apps.completion)
    var app: String?

    func validate() throws {
        guard [check, isDefault, confirmed, forget].count(where: \.self) <= 1 else {
            throw ValidationError("Give one of --check, --default, --confirmed and --forget.")
        }
        guard (isDefault || forget) == (type != nil) else {
            throw ValidationError("TYPE goes together with --default or --forget.")
        }
        guard !forget || app != nil else { throw ValidationError("--forget needs TYPE and APP.") }
        guard check || !again else { throw ValidationError("--again is for --check.") }
    }

    func run() async throws {
        guard confirmed || forget else { return try await listApps() }
        let removed = forget ? type.flatMap { type in app.map { (type, $0) } } : nil
        try await options.withClient { client, output in
            if let (type, app) = removed { try await client.removeConfirmedType(type, for: app) }
            let confirmed = try await client.confirmedTypes()
            try output.print(confirmed.map(ConfirmedTypeDocument.init), Self.text(confirmed))
        }
    }

    private func listApps() async throws {
        let (check, again, type, app) = (check, again, type, app)
        try await options.withClient { client, output in
            if let type { try await client.setDefault(app ?? "", for: type) }
            let (apps, faults) = try await again ? client.checkDomainsAndWait() : client.apps()
            guard check else { return try output.print(apps.map(AppDocument.init), Self.text(apps)) }
            let now = try Timestamp.now
            try output.print(Self.findings(apps, faults), Self.text(apps, faults, at: now))
            let hasProblem = !faults.isEmpty || apps.contains { $0.domains.contains(where: \.isProblem) }
            if hasProblem { throw ExitCode(ExitStatus.failed.rawValue) }
        }
    }

    private static func text(_ apps: [AppDescription]) -> String {
        guard !apps.isEmpty else { return "no apps continue activities here" }
        var table = Table("APP", "NAME", "TYPE", "DEFAULT")
        for app in apps {
            for domain in app.domains {
                table.append(printable(app.id), printable(app.name), "pages of \(printable(domain.domain))", "no")
            }
            for type in app.types {
                table.append(
                    printable(app.id),
                    printable(app.name),
                    type,
                    app.defaults.contains(type) ? "yes" : "no"
                )
            }
        }
        return table.text
    }

    private static func text(_ confirmed: [(type: String, app: String)]) -> String {
        guard !confirmed.isEmpty else { return "no documents are opened without a question but those that do nothing" }
        var table = Table("TYPE", "APP")
        for (type, app) in confirmed { table.append(printable(type), printable(app)) }
        return table.text
    }

    private static func findings(_ apps: [AppDescription], _ faults: [AppFileFault]) -> [CheckDocument] {
        faults.map(CheckDocument.file)
            + apps.flatMap { app in app.domains.map { .domain(DomainDocument($0, of: app.id)) } }
    }

    private static func text(_ apps: [AppDescription], _ faults: [AppFileFault], at now: Timestamp) -> String {
        let files = faults.map { printable("\($0.file): \($0.message)") }
        var table = Table("APP", "DOMAIN", "STATE")
        for app in apps {
            for domain in app.domains {
                table.append(printable(app.id), printable(domain.domain), printable(domain.text(at: now)))
            }
        }
        let lines = files.isEmpty ? ["all desktop files are valid"] : files
        return (lines + (apps.allSatisfy(\.domains.isEmpty) ? [] : ["", table.text])).joined(separator: "\n")
    }
}

/// One element of what `handoffctl apps --check --json` prints.
enum CheckDocument: Encodable {
    case file(AppFileFault)
    case domain(DomainDocument)

    func encode(to encoder: any Encoder) throws {
        switch self {
        case .file(let fault): try fault.encode(to: encoder)
        case .domain(let domain): try domain.encode(to: encoder)
        }
    }
}

/// One element of what `handoffctl apps --confirmed --json` prints.
struct ConfirmedTypeDocument: Encodable {
    /// The MIME type of documents.
    let type: String
    /// The id of the app that opens them.
    let app: String
}

/// One element of what `handoffctl apps --json` prints.
struct AppDocument: Encodable {
    let id: String
    let name: String
    let types: [String]
    let teamID: String?
    /// `bus`, `program` or `command`.
    let entrance: String
    /// The types for which the user chose it as the default.
    let defaults: [String]
    /// The domains whose pages it asks to open.
    let domains: [DomainDocument]

    init(_ app: AppDescription) {
        id = app.id
        name = app.name
        types = app.types
        teamID = app.teamID.isEmpty ? nil : app.teamID
        entrance = app.entrance
        defaults = app.defaults
        domains = app.domains.map { DomainDocument($0, of: app.id) }
    }
}
