import ArgumentParser
import DBus
import FoundationEssentials
import HandoffBus
import HandoffModel

/// `handoffctl publish`: an activity that stays current until the command is interrupted.
struct PublishCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "publish",
        abstract: "Offer an activity to your other devices until interrupted.",
        discussion: """
            userInfo is a JSON object. Numbers without a fractional part are integers. What JSON lacks is written as
            {"$data": BASE64}, {"$date": "2026-11-21T12:00:00Z"}, {"$url": TEXT}, {"$set": [ … ]} and {"$real": NUMBER}.
            """
    )

    @OptionGroup var options: GlobalOptions

    @Option(help: "The activity type, in reverse-DNS form such as org.example.editing.")
    var type: String?

    @Option(
        help: ArgumentHelp(
            "A document in a synchronised folder that the activity is about; without --type, an app has to bind its "
                + "kind to an activity type.",
            valueName: "file"
        )
    )
    var document: String?

    @OptionGroup var content: ActivityOptions

    @Flag(help: "Take one continuation stream, with standard input and output as its end here, and finish with it.")
    var stream = false

    func validate() throws {
        guard type != nil || document != nil else { throw ValidationError("Give --type or --document.") }
        _ = try ActivityOptions.parsed(type, "--type") { try ActivityType($0) }
    }

    func run() async throws {
        let type = type
        var draft = try content.draft()
        let streamDelegate = stream ? StreamDelegate() : nil
        if stream {
            draft.properties.supportsContinuationStreams = true
            draft.delegate = StreamDelegate.path
        }
        let file = try document.map(fileURL)
        if let file { draft.properties.userInfo[Activity.documentURLKey] = .url(file) }
        let offered = draft
        try await options.withClient { client, output in
            let type = if let type { type } else { try await Self.type(ofDocument: file ?? "", client) }
            if let streamDelegate {
                client.connection.objects.insert([.activityDelegate(streamDelegate)], at: StreamDelegate.path)
            }
            let activity = try await client.createActivity(ofType: type, offered)
            try await client.becomeCurrent(activity)
            let problem = file == nil ? "" : try await client.documentProblem(of: activity)
            if !problem.isEmpty { output.note("not offered yet: \(printable(problem))") }
            if streamDelegate == nil {
                // Standard output belongs to the stream, if there is to be one.
                try output.print(
                    Document(
                        activity: activity.description,
                        type: type,
                        documentProblem: problem.isEmpty ? nil : problem
                    ),
                    "\(type) \(problem.isEmpty ? "is current" : "waits for its document"); interrupt to end it"
                )
            }
            try await untilInterrupted {
                if let streamDelegate {
                    try await StandardStreams.connect(to: try await streamDelegate.stream())
                } else {
                    try await Self.waitForDaemonExit(client)
                }
            }
            try await client.invalidate(activity)
        }
    }

    /// The first activity type to which an app binds documents of that kind.
    private static func type(ofDocument url: String, _ client: HandoffClient) async throws -> String {
        let (mediaType, types) = try await client.types(ofDocument: url)
        guard let type = types.first else {
            let kind = mediaType.isEmpty ? "this kind" : mediaType
            throw CommandFailure(
                status: .failed,
                message: "No app here says which activity type documents of \(kind) have; give --type as well."
            )
        }
        return type
    }

    /// The daemon's end is the activity's end.
    private static func waitForDaemonExit(_ client: HandoffClient) async throws {
        try await client.connection.withOwner(of: HandoffName.bus) { owners in
            for await owner in owners where owner == nil { return }
        }
        throw CommandFailure(status: .noDaemon, message: "handoffd has stopped, and the activity with it.")
    }

    private struct Document: Encodable {
        let activity: String
        let type: String
        /// Why it is not offered yet; nil when it is.
        let documentProblem: String?
    }
}

extension UserInfoJSON {
    /// The entries of a JSON object.
    ///
    /// - Throws: a `UserInfoJSON.Fault` whose description says where and why.
    static func dictionary(from text: String) throws -> [String: UserInfoValue] {
        do {
            return try JSONDecoder().decode([String: UserInfoJSON].self, from: Data(text.utf8)).mapValues(\.value)
        } catch let error as DecodingError {
            throw Fault(description: explanation(error))
        }
    }

    /// Why a text is no userInfo.
    struct Fault: Error, CustomStringConvertible {
        let description: String
    }

    private static func explanation(_ error: DecodingError) -> String {
        switch error {
        case .typeMismatch(_, let context) where context.codingPath.isEmpty: return "it is a JSON value, and no object"
        case .dataCorrupted(let context), .keyNotFound(_, let context), .typeMismatch(_, let context),
            .valueNotFound(_, let context):
            let place = context.codingPath.map(\.stringValue).joined(separator: ".")
            return place.isEmpty ? context.debugDescription : "\(place): \(context.debugDescription)"
        @unknown default:
            return "\(error)"
        }
    }
}
