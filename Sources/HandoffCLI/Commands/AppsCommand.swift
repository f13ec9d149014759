import ArgumentParser
import HandoffBus

/// `handoffctl apps`: lists the apps that continue activities here, and sets defaults.
struct AppsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apps",
        abstract: "List the apps that continue activities; set defaults.",
        usage: "handoffctl apps [<options>] [--default <type> [<app>]]"
    )

    @OptionGroup var options: GlobalOptions

    @Flag(help: "List invalid desktop files; exit status 1 if any.")
    var check = false

    @Flag(name: .customLong("default"), help: "Make APP the default for TYPE; without APP, clear it.")
    var isDefault = false

    @Argument(help: "With --default: the activity type.", completion: KnownNames.appTypes.completion)
    var type: String?

    @Argument(help: "With --default: the app id.", completion: KnownNames.apps.completion)
    var app: String?

    func validate() throws {
        guard isDefault == (type != nil) else { throw ValidationError("TYPE and --default go together.") }
        guard !check || !isDefault else { throw ValidationError("Give --check or --default, not both.") }
    }

    func run() async throws {
        let (check, type, app) = (check, type, app)
        try await options.withClient { client, output in
            if let type { try await client.setDefault(app ?? "", for: type) }
            let (apps, faults) = try await client.apps()
            guard check else { return try output.print(apps.map(AppDocument.init), Self.text(apps)) }
            try output.print(faults, Self.text(faults))
            if !faults.isEmpty { throw ExitCode(ExitStatus.failed.rawValue) }
        }
    }

    private static func text(_ apps: [AppDescription]) -> String {
        guard !apps.isEmpty else { return "no apps continue activities here" }
        var table = Table("APP", "NAME", "TYPE", "DEFAULT")
        for app in apps {
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

    private static func text(_ faults: [AppFileFault]) -> String {
        faults.isEmpty
            ? "all desktop files are valid"
            : faults.map { printable("\($0.file): \($0.message)") }.joined(separator: "\n")
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

    init(_ app: AppDescription) {
        id = app.id
        name = app.name
        types = app.types
        teamID = app.teamID.isEmpty ? nil : app.teamID
        entrance = app.entrance
        defaults = app.defaults
    }
}
