import ArgumentParser
import AsyncSupport
import DBus
import FoundationEssentials
private import Glibc
import HandoffBus
import HandoffJSON
import HandoffModel

/// `handoffctl publish`: offers an activity until the command is interrupted.
struct PublishCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "publish",
        abstract: "Offer an activity to other devices until interrupted.",
        discussion: """
            With --document and without --type, the activity type is the one that an app
            declares for documents of that kind.

            It prints which device continues the activity, and when its document is lost or
            found again. After a restart of the daemon, the activity is offered again.

            With --follow, a program writes one JSON object a line, with the whole activity
            as it is now, or null when there is none; the command ends with its input.

            userInfo is a JSON object. Numbers without a fractional part are integers.
            Values of other types are written as {"$data": BASE64},
            {"$date": "2026-11-21T12:00:00Z"}, {"$url": TEXT}, {"$set": [ … ]} and
            {"$real": NUMBER}.
            """
    )

    @OptionGroup var options: GlobalOptions

    @Option(help: "The activity type, such as org.example.editing.", completion: KnownNames.appTypes.completion)
    var type: String?

    @Option(
        help: ArgumentHelp("The document of the activity, in a synchronised folder.", valueName: "file"),
        completion: .file()
    )
    var document: String?

    @Option(
        help: ArgumentHelp("A file of any folder, of which other devices can take a copy.", valueName: "file"),
        completion: .file()
    )
    var copy: String?

    @OptionGroup var content: ActivityOptions

    @Flag(help: "Serve one stream with stdin and stdout; exit at its end.")
    var stream = false

    @Flag(help: "Read the activity, and each change, from standard input: a JSON object a line.")
    var follow = false

    @OptionGroup var directions: StreamDirectionOptions

    func validate() throws {
        guard stream || directions.direction == .both else {
            throw ValidationError("--receive and --send need --stream.")
        }
        guard copy == nil || type == nil && document == nil && !stream else {
            throw ValidationError("--copy says already what is offered: leave out --type, --document and --stream.")
        }
        guard !follow || type == nil && document == nil && copy == nil && !stream && content.isEmpty else {
            throw ValidationError("--follow reads what the other options say from standard input; give it alone.")
        }
        _ = try ActivityOptions.parsed(type, "--type") { try ActivityType($0) }
    }

    func run() async throws {
        if follow {
            return try await options.withClient { try await FollowedInput(over: $0, $1).run() }
        }
        if let copy { return try await offerCopy(of: copy) }
        // Not in validate(), so that an option that does not exist is reported first.
        guard type != nil || document != nil else {
            throw options.output.failure(CommandFailure(status: .usage, message: "Give --type or --document."))
        }
        let type = type
        var draft = try content.draft()
        let streamDelegate = stream ? StreamDelegate() : nil
        if stream {
            draft.properties.supportsContinuationStreams = true
            draft.delegate = StreamDelegate.path
        }
        let direction = directions.direction
        let (document, file) = (document, try document.map(fileURL))
        if let file { draft.properties.documentURL = file }
        let offered = DocumentContent.added(to: draft)
        try await options.withClient { client, output in
            let type = if let type { type } else { try await Self.type(ofDocument: document ?? "", file ?? "", client) }
            guard let streamDelegate else {
                let content = PublishedActivity.Content(type: type, draft: offered)
                return try await PublishedActivity(content, over: client, output).run()
            }
            client.connection.objects.insert([.activityDelegate(streamDelegate)], at: StreamDelegate.path)
            // Standard output carries the data of the stream alone.
            let activity = try await client.createActivity(ofType: type, offered)
            try await client.becomeCurrent(activity)
            if file == nil {
                try await Self.serve(streamDelegate, direction, client, output)
            } else {
                try await race(
                    { try await Self.serve(streamDelegate, direction, client, output) },
                    { try await Self.noteDocument(of: activity, client, output) }
                )
            }
            try await client.invalidate(activity)
        }
    }

    /// Notes when the document of an activity is lost and found again, until cancelled.
    private static func noteDocument(of activity: ObjectPath, _ client: HandoffClient, _ output: Output) async throws {
        try await client.withSignals { signals in
            var known = try await client.documentProblem(of: activity)
            if !known.isEmpty { output.note("The activity is not offered yet: \(printable(known))") }
            for try await signal in signals where signal.path == activity && signal.member == "PropertiesChanged" {
                let changes = signal.arguments.dropFirst().first?.stringDictionary ?? [:]
                guard let problem = changes[ActivityInterface.documentProblem.name.description]?.string,
                    problem != known
                else { continue }
                known = problem
                output.note(
                    problem.isEmpty
                        ? "The document is back: the activity is offered again."
                        : "The activity is not offered any more: \(printable(problem))"
                )
            }
        }
        throw CancellationError()
    }

    /// Waits for the stream and connects it to standard input and output.
    ///
    /// Signals are not trapped: a signal that ends the process ends the stream, with an error for the other side.
    private static func serve(
        _ delegate: StreamDelegate,
        _ direction: StreamDirection,
        _ client: HandoffClient,
        _ output: Output
    ) async throws {
        output.noteOnTerminal("waiting for another device to open the stream … (Ctrl-C ends this)")
        let opened = try await race(
            { try await delegate.stream() },
            { throw try await client.daemonExit(thenLost: "the activity") }
        )
        let streams = StandardStreams(direction: direction, deviceName: printable(opened.deviceName))
        try await streams.connect(to: opened.stream, of: client)
    }

    /// The first activity type that an app declares for documents of that media type.
    ///
    /// - Throws: ``CommandFailure`` if no app declares one.
    private static func type(ofDocument path: String, _ url: String, _ client: HandoffClient) async throws -> String {
        guard access(path, F_OK) == 0 else {
            throw CommandFailure(status: .notFound, message: "There is no file \(printable(path)).")
        }
        let (mediaType, types) = try await client.types(ofDocument: url)
        guard let type = types.first else {
            let kind = mediaType.isEmpty ? "this type" : mediaType
            throw CommandFailure(
                status: .failed,
                message: "No app here declares which activity type documents of \(kind) have; give --type as well."
            )
        }
        return type
    }

}

extension UserInfoJSON {
    /// The entries of a JSON object.
    ///
    /// - Throws: `UserInfoJSON.Fault`, whose description names the place and the reason.
    static func dictionary(from text: String) throws -> [String: UserInfoValue] {
        do {
            return try JSONDecoder().decode(
                [String: UserInfoJSON].self,
                from: Data(JSONText.repaired(Array(text.utf8)))
            ).mapValues(\.value)
        } catch let error as DecodingError {
            throw Fault(description: reason(error))
        }
    }

    /// The reason why a text is no JSON of the expected form, with its place.
    static func reason(_ error: any Error) -> String {
        (error as? DecodingError).map(explanation) ?? "\(error)"
    }

    /// The reason why a text is not a valid userInfo.
    struct Fault: Error, CustomStringConvertible {
        let description: String
    }

    private static func explanation(_ error: DecodingError) -> String {
        if case .typeMismatch(_, let context) = error, context.codingPath.isEmpty { return "it is not a JSON object" }
        let (place, reason) = error.explanation
        return place.isEmpty ? reason : "\(place): \(reason)"
    }
}
