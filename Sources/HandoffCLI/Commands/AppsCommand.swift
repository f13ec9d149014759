import ArgumentParser
import HandoffBus
import HandoffModel

/// `handoffctl apps`: lists the apps that continue activities here, and sets defaults.
struct AppsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apps",
        abstract: "List the apps that continue activities; set defaults.",
        usage: "handoffctl apps [--check [--again]] [--default <type> [<app>]]"
    )

    @OptionGroup var options: GlobalOptions

    @Flag(help: "List invalid desktop files, and domains; exit status 1 if any is not in order.")
    var check = false

    @Flag(help: "With --check: ask the sites of the domains again first.")
    var again = false

    @Flag(name: .customLong("default"), help: "Make APP the default for TYPE; without APP, clear it.")
    var isDefault = false

    @Argument(help: "With --default: the activity type.", completion: KnownNames.appTypes.completion)
    var type: String?

    @Argument(help: "With --default: the app id.", completion: KnownNames.apps.completion)
    var app: String?

    func validate() throws {
        guard isDefault == (type != nil) else { throw ValidationError("TYPE and --default go together.") }
        guard check || !again else { throw ValidationError("--again is for --check.") }
        guard !check || !isDefault else { throw ValidationError("Give --check or --default, not both.") }
    }

    func run() async throws {
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
