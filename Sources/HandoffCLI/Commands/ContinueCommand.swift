import ArgumentParser
import struct DBus.DBusError
import Glibc
import HandoffBus
import HandoffCrypto
import HandoffJSON
import HandoffModel

/// `handoffctl continue`: continues an activity of another device on this one.
struct ContinueCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "continue",
        abstract: "Continue an activity in its app or in the browser.",
        usage: "handoffctl continue [<options>] [<id>] [--type <type>]",
        discussion: """
            Without an ID or a type, it takes the nearest activity that can be continued here, and whatever that device \
            shows by then.
            """
    )

    @OptionGroup var options: GlobalOptions

    @Argument(
        help: "The number of the activity in `handoffctl nearby`.",
        completion: KnownNames.nearbyNumbers.completion
    )
    var id: Int?

    @Option(help: "Take the nearest activity of this type.", completion: KnownNames.nearbyTypes.completion)
    var type: String?

    @Flag(help: "Take the nearest activity that something here opens, and no other: for a keyboard shortcut.")
    var nearest = false

    @OptionGroup var waiting: WaitOption

    @Flag(help: "Fetch the activity and print it; open no app, and tell the other device nothing.")
    var print = false

    @Flag(help: "With --print: let the app save first, and print its newest state.")
    var fresh = false

    @Flag(help: "With --print: go on with the activity; its app saves first, and is told.")
    var take = false

    @Option(help: ArgumentHelp("The XDG activation token that lets the app take focus.", valueName: "token"))
    var activationToken: String?

    @Flag(help: "Open its document even if that may start a program.")
    var openProgram = false

    func validate() throws {
        guard id == nil || type == nil else { throw ValidationError("Give an ID or --type, not both.") }
        guard id == nil || !nearest else { throw ValidationError("Give an ID or --nearest, not both.") }
        guard id == nil || waiting.wait == nil else {
            throw ValidationError("Give an ID or --wait, not both: an activity that is not there yet has no ID.")
        }
        guard print || !(fresh || take) else { throw ValidationError("--fresh and --take need --print.") }
    }

    func run() async throws {
        let (id, type, isPrinting, waiting, nearest) = (id, type, print, waiting, nearest)
        let purpose: FetchOptions.Purpose = take ? .take : fresh ? .freshPreview : .preview
        let handing = ContinuationOptions(
            activationToken: activationToken,
            showsFailure: true,
            opensPrograms: openProgram,
            takesCurrent: id == nil && type == nil
        )
        try await options.withClient { client, output in
            let chosen = try await waiting.choice(
                from: client,
                id: id,
                type: type,
                preferring: nearest ? .onlyContinuable : isPrinting ? .any : .continuable,
                output
            )
            if isPrinting {
                let notes = WaitNotes(client: client, output: output, activity: chosen)
                let fetched = try await cancelling(client, chosen.path) {
                    try await notes.during {
                        try await client.fetch(chosen.path, for: purpose, takesCurrent: handing.takesCurrent)
                    }
                }
                try output.print(ActivityDocument(fetched, from: chosen), Self.text(fetched.activity, from: chosen))
            } else {
                let result = try await Self.continueActivity(chosen, handing, client, output)
                try output.print(ContinuationDocument(result), Self.text(result))
            }
        }
    }

    /// Continues an activity; asks the user at the terminal whether a document may be opened that may start a program.
    private static func continueActivity(
        _ chosen: NearbyActivityDescription,
        _ options: ContinuationOptions,
        _ client: HandoffClient,
        _ output: Output
    ) async throws -> ContinuationResult {
        do {
            let notes = WaitNotes(client: client, output: output, activity: chosen)
            return try await cancelling(client, chosen.path) {
                try await notes.during { try await client.continueActivity(chosen.path, options) }
            }
        } catch let error as DBusError
            where HandoffErrorName(error.name) == .documentIsProgram && isatty(STDIN_FILENO) == 1 && !output.isJSON
        {
            output.note(error.message)
            output.note("Open it? Type yes to open it.")
            guard readLine()?.lowercased() == "yes" else { throw error }
            var options = options
            options.opensPrograms = true
            return try await continueActivity(chosen, options, client, output)
        }
    }

    /// The activity that the arguments select.
    ///
    /// A type is found by its hash: this device may not know its name.
    ///
    /// - Parameters:
    ///   - nearby: all activities, the nearest first.
    ///   - id: the number of the activity; nil for any.
    ///   - type: its type; nil for any.
    ///   - preference: which comes first without an id.
    /// - Throws: ``CommandFailure`` if there is none.
    static func choice(
        from nearby: [NearbyActivityDescription],
        id: Int?,
        type: String?,
        preferring preference: ActivityPreference = .any
    ) throws -> NearbyActivityDescription {
        if let id {
            guard let activity = nearby.first(where: { $0.id == id }) else {
                throw CommandFailure(
                    status: .notFound,
                    message: "There is no activity \(id) nearby; `handoffctl nearby` lists all."
                )
            }
            return activity
        }
        let ordered = preference.ordered(nearby)
        if let type {
            guard let activity = ordered.first(where: { $0.typeHash == ActivityTypeHash(of: type).description }) else {
                throw CommandFailure(status: .notFound, message: "There is no activity of type \(type) nearby.")
            }
            return activity
        }
        guard let activity = ordered.first else {
            throw CommandFailure(
                status: .notFound,
                message: nearby.isEmpty
                    ? "There is no activity nearby. `handoffctl status` shows whether the radio works."
                    : "Nothing on this device opens any of the activities nearby; `handoffctl nearby` lists them."
            )
        }
        return activity
    }

    private static func text(_ result: ContinuationResult) -> String {
        switch result.outcome {
        case "app": "continued in \(printable(result.application))"
        case "document": "opened its document in \(printable(result.application))"
        default: "opened in the browser"
        }
    }

    private static func text(_ activity: Activity, from source: NearbyActivityDescription) -> String {
        var table = Table("from", printable(source.deviceName))
        table.append("type", printable(activity.type.rawValue))
        if let title = activity.title { table.append("title", printable(title)) }
        if let url = activity.webpageURL { table.append("webpage", printable(url.rawValue)) }
        for (key, value) in activity.userInfo.sorted(by: { $0.key < $1.key }) {
            table.append("userInfo." + printable(key), printable(Output.compact(UserInfoJSON(value))))
        }
        return table.text
    }
}

/// What `handoffctl continue --json` prints.
struct ContinuationDocument: Encodable {
    /// `app`, `browser` or `document`.
    let outcome: String
    let application: String?

    init(_ result: ContinuationResult) {
        outcome = result.outcome
        application = result.application.isEmpty ? nil : result.application
    }
}

extension ActivityDocument {
    /// Creates what `handoffctl continue --print --json` prints.
    init(_ fetched: FetchedActivity, from source: NearbyActivityDescription) {
        self.init(fetched, from: source.deviceID, named: source.deviceName)
    }
}
