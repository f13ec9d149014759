import ArgumentParser
private import FoundationEssentials
import HandoffBus
import HandoffModel

/// The options that say what is in an activity.
struct ActivityOptions: ParsableArguments {
    @Option(help: "A short title that may be shown to the user.")
    var title: String?

    @Option(help: ArgumentHelp("The state, as a JSON object.", valueName: "json"))
    var userInfo: String?

    @Option(help: ArgumentHelp("An http or https page to fall back to.", valueName: "url"))
    var webpage: String?

    @Option(
        name: .customLong("required-key"),
        help: ArgumentHelp(
            "A key of the state that has to travel, the others staying here; repeatable.",
            valueName: "key"
        )
    )
    var requiredKeys: [String] = []

    @Option(help: ArgumentHelp("When it ends by itself, such as 2026-11-21T12:00:00Z.", valueName: "date"))
    var expires: String?

    @Option(name: .customLong("team-id"), help: ArgumentHelp("Whose apps may continue it.", valueName: "id"))
    var teamID: String?

    @Option(
        name: .customLong("target-content"),
        help: ArgumentHelp("Which content it belongs to, for an app with several windows.", valueName: "id")
    )
    var targetContent: String?

    @Option(
        name: .customLong("persistent-id"),
        help: ArgumentHelp("The name under which its app finds it again.", valueName: "id")
    )
    var persistentID: String?

    /// The parts of the activity.
    ///
    /// - Throws: `ValidationError` that names the option at fault.
    func draft() throws -> ActivityDraft {
        var draft = ActivityDraft()
        draft.properties.title = title
        draft.properties.requiredUserInfoKeys = Set(requiredKeys)
        draft.properties.teamID = teamID
        draft.properties.targetContentIdentifier = targetContent
        draft.properties.persistentIdentifier = persistentID
        draft.properties.userInfo =
            try Self.parsed(userInfo, "--user-info is not a JSON object that can be carried") {
                try UserInfoJSON.dictionary(from: $0)
            } ?? [:]
        draft.properties.webpageURL = try Self.parsed(webpage, "--webpage") { try WebpageURL($0) }
        draft.properties.expiration = try Self.parsed(expires, "--expires") { try Timestamp($0) }
        if let expires, let end = draft.properties.expiration, end.seconds < Int64(Date().timeIntervalSince1970) {
            throw ValidationError("--expires: \(expires) has passed, so it would never be offered.")
        }
        return draft
    }

    /// What the text of an option says; nil without one.
    ///
    /// - Throws: `ValidationError` that names the option and says what is wrong with it.
    static func parsed<Part>(_ text: String?, _ option: String, _ read: (String) throws -> Part) throws -> Part? {
        guard let text else { return nil }
        do {
            return try read(text)
        } catch {
            throw ValidationError("\(option): \((error as? ModelError)?.message ?? "\(error)")")
        }
    }
}
