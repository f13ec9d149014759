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
    var type: String

    @OptionGroup var content: ActivityOptions

    @Flag(help: "Take one continuation stream, with standard input and output as its end here, and finish with it.")
    var stream = false

    func run() async throws {
        let type = type
        var draft = try content.draft()
        let host = stream ? StreamHost() : nil
        if stream {
            draft.properties.supportsContinuationStreams = true
            draft.delegate = StreamHost.path
        }
        let offered = draft
        try await options.withClient { client, output in
            if let host { client.connection.objects.insert([.activityDelegate(host)], at: StreamHost.path) }
            let activity = try await client.createActivity(ofType: type, offered)
            try await client.becomeCurrent(activity)
            if host == nil {
                // Standard output belongs to the stream, if there is to be one.
                try output.print(
                    Document(activity: activity.description, type: type),
                    "\(type) is current; interrupt to end it"
                )
            }
            try await untilInterrupted {
                if let host {
                    try await StandardStreams.join(try await host.stream())
                } else {
                    try await Self.daemonEnds(client)
                }
            }
            try await client.invalidate(activity)
        }
    }

    /// The daemon's end is the activity's end.
    private static func daemonEnds(_ client: HandoffClient) async throws {
        try await client.connection.withOwner(of: HandoffName.bus) { owners in
            for await owner in owners where owner == nil { return }
        }
        throw CommandFailure(status: .noDaemon, message: "handoffd has stopped, and the activity with it.")
    }

    private struct Document: Encodable {
        let activity: String
        let type: String
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
