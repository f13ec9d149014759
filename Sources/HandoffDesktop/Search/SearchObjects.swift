import DBus
import HandoffBus

/// The search of nearby activities on the bus: for GNOME Shell (`org.gnome.Shell.SearchProvider2`) and for KRunner
/// (`org.kde.krunner1`).
struct SearchObjects: Sendable {
    static let path: ObjectPath = "/org/handoffd/Desktop1"
    /// The most activities that a search finds.
    static let mostResults = 10

    /// Returns the activities that can be found; is called on the loop's thread.
    let activities: @Sendable () -> [ShownActivity]
    /// Continues an activity; must not block.
    let perform: @Sendable (DesktopCommand) -> Void
    /// Is called with the token with which what is continued next may take the focus.
    let provideToken: @Sendable (String) -> Void

    /// Both interfaces, for the object at ``path``.
    var interfaces: [Interface] { [searchProvider, runner] }

    private func matches(_ terms: [String]) -> [ActivitySearch.Match] {
        Array(ActivitySearch(activities()).matches(of: terms).prefix(Self.mostResults))
    }

    /// Continues the activity with an id that was a result; ids of activities that are gone do nothing.
    private func activate(_ id: String) {
        guard let activity = activities().first(where: { $0.path.description == id }), activity.obstacle == nil else {
            return
        }
        perform(.continueActivity(activity.path))
    }

    // MARK: GNOME Shell

    private var searchProvider: Interface {
        let terms = Argument(name: "terms", type: [String].valueType)
        let results = Argument(name: "results", type: [String].valueType)
        let initial = Method(name: "GetInitialResultSet", inputs: [terms], outputs: [results]) { invocation in
            .reply([ids(of: try invocation.arguments.decode(at: 0, as: [String].self))])
        }
        let subsearch = Method(
            name: "GetSubsearchResultSet",
            inputs: [Argument(name: "previous_results", type: [String].valueType), terms],
            outputs: [results]
        ) { invocation in .reply([ids(of: try invocation.arguments.decode(at: 1, as: [String].self))]) }
        let metas = Method(
            name: "GetResultMetas",
            inputs: [Argument(name: "identifiers", type: [String].valueType)],
            outputs: [Argument(name: "metas", type: .array([String: Value].valueType))]
        ) { invocation in
            let ids = try invocation.arguments.decode(at: 0, as: [String].self)
            let known = Dictionary(activities().map { ($0.path.description, $0) }) { first, _ in first }
            return .reply([ids.compactMap { known[$0].map(Self.meta) }.value])
        }
        let time = Argument(name: "timestamp", type: .uint32)
        let activation = Method(
            name: "ActivateResult",
            inputs: [Argument(name: "identifier", type: .string), terms, time]
        ) { invocation in
            activate(try invocation.arguments.decode(at: 0, as: String.self))
            return .reply([])
        }
        // The window shows all activities.
        let launch = Method(name: "LaunchSearch", inputs: [terms, time]) { _ in
            perform(.openWindow)
            return .reply([])
        }
        return Interface(
            name: "org.gnome.Shell.SearchProvider2",
            methods: [initial, subsearch, metas, activation, launch]
        )
    }

    private func ids(of terms: [String]) -> Value {
        matches(terms).map(\.activity.path.description).value
    }

    private static func meta(of activity: ShownActivity) -> [String: Value] {
        [
            "id": .string(activity.path.description), "name": .string(name(of: activity)),
            "description": .string(description(of: activity)), "gicon": .string(activity.icon),
        ]
    }

    private static func name(of activity: ShownActivity) -> String { activity.title ?? activity.app }

    private static func description(of activity: ShownActivity) -> String {
        activity.title == nil ? "Continue from \(activity.device)" : "\(activity.app), from \(activity.device)"
    }

    // MARK: KRunner

    /// The types of a match (KRunner, `QueryMatch::Type`): one that may be meant.
    private static let possibleMatch: Int32 = 30

    private var runner: Interface {
        let row = ValueType.structure([.string, .string, .string, .int32, .double, [String: Value].valueType])
        let match = Method(
            name: "Match",
            inputs: [Argument(name: "query", type: .string)],
            outputs: [Argument(name: "matches", type: .array(row))]
        ) { invocation in
            let terms = try invocation.arguments.decode(at: 0, as: String.self).split(separator: " ").map(String.init)
            return .reply([.array(of: row, matches(terms).map(Self.row))])
        }
        let action = ValueType.structure([.string, .string, .string])
        let actions = Method(name: "Actions", outputs: [Argument(name: "actions", type: .array(action))]) { _ in
            .reply([.array(of: action, [])])
        }
        let run = Method(
            name: "Run",
            inputs: [Argument(name: "matchId", type: .string), Argument(name: "actionId", type: .string)]
        ) { invocation in
            activate(try invocation.arguments.decode(at: 0, as: String.self))
            return .reply([])
        }
        let config = Method(
            name: "Config",
            outputs: [Argument(name: "config", type: [String: Value].valueType)]
        ) { _ in .reply([["MinLetterCount": Value.int32(2)].value]) }
        let token = Method(
            name: "SetActivationToken",
            inputs: [Argument(name: "token", type: .string)]
        ) { invocation in
            provideToken(try invocation.arguments.decode(at: 0, as: String.self))
            return .reply([])
        }
        let teardown = Method(name: "Teardown") { _ in .reply([]) }
        return Interface(name: "org.kde.krunner1", methods: [match, actions, run, config, token, teardown])
    }

    private static func row(_ match: ActivitySearch.Match) -> Value {
        let activity = match.activity
        let properties: [String: Value] = [
            "subtext": .string(description(of: activity)), "category": .string("Handoff"),
        ]
        return .structure([
            .string(activity.path.description), .string(name(of: activity)), .string(activity.icon),
            .int32(possibleMatch), .double(match.relevance), properties.value,
        ])
    }
}
