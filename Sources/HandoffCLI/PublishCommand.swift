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

    func run() async throws {
        let type = type
        let draft = try content.draft()
        try await options.withClient { client, output in
            let activity = try await client.createActivity(ofType: type, draft)
            try await client.becomeCurrent(activity)
            try output.print(
                Document(activity: activity.description, type: type),
                "\(type) is current; interrupt to end it"
            )
            try await untilInterrupted {
                // The daemon's end is the activity's end.
                try await client.connection.withOwner(of: HandoffName.bus) { owners in
                    for await owner in owners where owner == nil { return }
                }
                throw CommandFailure(status: .noDaemon, message: "handoffd has stopped, and the activity with it.")
            }
            try await client.invalidate(activity)
        }
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
