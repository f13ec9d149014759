import ArgumentParser
private import FoundationEssentials
import HandoffBus
import HandoffJSON
import HandoffModel

/// The options that set the content of an activity.
struct ActivityOptions: ParsableArguments {
    @Option(help: "A short title to show to the user.")
    var title: String?

    @Option(help: ArgumentHelp("The state (userInfo), as a JSON object.", valueName: "json"))
    var userInfo: String?

    @Option(help: ArgumentHelp("An http or https page for devices without the app.", valueName: "url"))
    var webpage: String?

    @Option(
        name: .customLong("required-key"),
        help: ArgumentHelp(
            "A userInfo key to send; others are not sent. Repeatable.",
            valueName: "key"
        )
    )
    var requiredKeys: [String] = []

    @Option(help: ArgumentHelp("The time of expiry, such as 2026-11-21T12:00:00Z.", valueName: "date"))
    var expires: String?

    @Option(name: .customLong("team-id"), help: ArgumentHelp("The team whose apps may continue it.", valueName: "id"))
    var teamID: String?

    @Option(
        name: .customLong("target-content"),
        help: ArgumentHelp("The id of its content, for apps with several windows.", valueName: "id")
    )
    var targetContent: String?

    @Option(
        name: .customLong("persistent-id"),
        help: ArgumentHelp("The name by which its app finds it again.", valueName: "id")
    )
    var persistentID: String?

    func validate() throws {
        _ = try draft()
    }

    /// Whether no option was given.
    var isEmpty: Bool {
        requiredKeys.isEmpty
            && [title, userInfo, webpage, expires, teamID, targetContent, persistentID].allSatisfy { $0 == nil }
    }

    /// The draft of the activity that the options describe.
    ///
    /// - Throws: `ValidationError` that names the invalid option.
    func draft() throws -> ActivityDraft {
        var draft = ActivityDraft()
        draft.properties.title = title
        draft.properties.requiredUserInfoKeys = Set(requiredKeys)
        draft.properties.teamID = teamID
        draft.properties.targetContentIdentifier = targetContent
        draft.properties.persistentIdentifier = persistentID
        draft.properties.userInfo =
            try Self.parsed(userInfo, "--user-info is invalid") {
                try UserInfoJSON.dictionary(from: $0)
            } ?? [:]
        draft.properties.webpageURL = try Self.parsed(webpage, "--webpage") { try WebpageURL($0) }
        draft.properties.expiration = try Self.parsed(expires, "--expires") { try Timestamp($0) }
        if let expires, let end = draft.properties.expiration, end.seconds < Int64(Date().timeIntervalSince1970) {
            throw ValidationError("--expires: \(expires) is in the past; give a later time.")
        }
        return draft
    }

    /// The parsed value of an option; nil if the option was not given.
    ///
    /// - Throws: `ValidationError` that names the option and the reason.
    static func parsed<Part>(_ text: String?, _ option: String, _ read: (String) throws -> Part) throws -> Part? {
        guard let text else { return nil }
        do {
            return try read(text)
        } catch {
            throw ValidationError("\(option): \((error as? ModelError)?.message ?? "\(error)")")
        }
    }
}
