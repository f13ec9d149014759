import AsyncSupport
import DBus
import HandoffBus
import HandoffModel
private import Synchronization

/// The activity that `handoffctl publish` offers, in each run of the daemon anew.
final class PublishedActivity: Sendable {
    /// What is offered.
    struct Content: Hashable, Sendable {
        let type: String
        var draft: ActivityDraft
    }

    private struct State {
        /// nil when there is nothing to continue.
        var content: Content?
        var isDaemonRunning = false
        /// Its object; nil while the daemon does not run.
        var object: ObjectPath?
        var documentProblem = ""
        /// Whether it is not offered because the session is locked or idle.
        var isWithheld = false
        /// The rule that keeps it from being offered; nil for none.
        var rule: WithheldDescription?
        /// The rules because of which a device does not get it.
        var excluded: [WithheldDescription] = []
    }

    private let client: HandoffClient
    private let output: Output
    private let state: Mutex<State>
    /// Held while the activity is created, changed or ended.
    private let turns = AsyncMutex()

    init(_ content: Content?, over client: HandoffClient, _ output: Output) {
        state = Mutex(State(content: content))
        self.client = client
        self.output = output
    }

    /// Offers the activity, and prints what happens to it, until `body` returns, it is cancelled, or `untilInterrupted`
    /// ends it.
    ///
    /// - Throws: `DBusError` if there is no daemon at the beginning, if the daemon refuses the activity, or the bus is
    ///   lost.
    func run(_ body: @escaping @Sendable () async throws -> Void = { try await untilCancelled() }) async throws {
        try await untilInterrupted { [self] in
            try await race(
                { try await self.client.follow { [self] event in try await handle(event) } },
                body
            )
        }
        // A daemon that has stopped in this moment has ended the activity itself.
        if let object = state.withLock({ $0.object }) { try? await client.invalidate(object) }
    }

    /// Offers something else from now on, or nothing.
    ///
    /// The activity stays the same as long as its type does: other devices keep their entry of it.
    ///
    /// - Throws: `DBusError` if the daemon refuses it; what was offered before is offered still.
    func change(to content: Content?) async throws {
        try await turns.withLock { [self] in
            let (isDaemonRunning, object, before) = state.withLock { state in
                (state.isDaemonRunning, state.object, state.content)
            }
            guard isDaemonRunning else { return state.withLock { $0.content = content } }
            do {
                try await change(object, from: before, to: content)
            } catch let error as DBusError where HandoffClient.isLost(error) {
                state.withLock { $0 = State(content: content) }
            }
        }
    }

    private func change(_ object: ObjectPath?, from before: Content?, to content: Content?) async throws {
        guard let object, let before, let content, before.type == content.type else {
            return try await replace(object, by: content)
        }
        try await client.set(content.draft.changes(since: before.draft), of: object)
        state.withLock { $0.content = content }
    }

    /// Begins another activity, and then ends the one before it, so that one is current at all times.
    private func replace(_ object: ObjectPath?, by content: Content?) async throws {
        if let content {
            try await offer(content)
        } else {
            state.withLock { state in state = State(isDaemonRunning: true) }
            if object != nil { try show(PublishEvent("ended"), "nothing is offered") }
        }
        if let object { try await client.invalidate(object) }
    }

    private func handle(_ event: DaemonEvent) async throws {
        switch event {
        case .started:
            try await turns.withLock { [self] in
                let content = state.withLock { state in
                    state.isDaemonRunning = true
                    return state.content
                }
                if let content { try await offer(content) }
            }
        case .stopped:
            state.withLock { $0 = State(content: $0.content) }
            try show(PublishEvent("daemonStopped"), "handoffd has stopped; the activity is offered again when it runs")
        case .signal(let signal, _): try handle(signal)
        }
    }

    private func offer(_ content: Content) async throws {
        let object = try await client.createActivity(ofType: content.type, content.draft)
        state.withLock { $0 = State(content: content, isDaemonRunning: true, object: object) }
        try await client.becomeCurrent(object)
        let problem = try await client.documentProblem(of: object)
        state.withLock { $0.documentProblem = problem }
        var event = PublishEvent("offered")
        event.activity = object.description
        event.type = content.type
        event.documentProblem = problem.isEmpty ? nil : problem
        try show(
            event,
            "\(content.type) \(problem.isEmpty ? "is current" : "waits for its document"); press Ctrl-C to end it"
        )
        if !problem.isEmpty, !output.isJSON { output.note("The activity is not offered yet: \(printable(problem))") }
        if let warning = ActivityLimits.sizeWarning(try await client.encodedSize(of: object)) { output.note(warning) }
        try follow(try await client.status().isSessionAway)
        try follow(try await client.rules().withheld)
    }

    private func handle(_ signal: Signal) throws {
        if signal.member == "PropertiesChanged" { return try handleChange(signal) }
        guard signal.path == state.withLock({ $0.object }), signal.interface == HandoffName.activityInterface,
            signal.arguments.count > 2, let device = signal.arguments[0].objectPath,
            let name = signal.arguments[1].string
        else { return }
        let details = signal.arguments.last?.stringDictionary ?? [:]
        var event = PublishEvent(signal.member == "Continued" ? "continued" : "continuationFailed")
        event.device = device.lastElement
        event.deviceName = name
        switch signal.member {
        case "Continued":
            event.kind = details["Kind"]?.string
            try show(event, "\(printable(name)) continues it\(Self.place(event.kind))")
        case "ContinuationFailed":
            event.error = signal.arguments[2].string
            event.message = details["Message"]?.string
            try show(event, "not continued: \(printable(event.message ?? event.error ?? ""))")
        default: break
        }
    }

    private func handleChange(_ signal: Signal) throws {
        guard signal.arguments.count == 3, let changes = signal.arguments[1].stringDictionary else { return }
        if signal.path == HandoffName.root, let advisories = changes["Advisories"] {
            return try follow(DaemonStatus.isSessionAway(advisories))
        }
        if signal.path == HandoffName.root, let withheld = changes[RulesStatus.withheldName] {
            return try follow(RulesStatus.withheld(withheld))
        }
        guard signal.path == state.withLock({ $0.object }),
            let problem = changes[ActivityInterface.documentProblem.name.description]?.string
        else {
            return
        }
        let isNew = state.withLock { state in
            defer { state.documentProblem = problem }
            return problem != state.documentProblem
        }
        guard isNew else { return }
        var event = PublishEvent(problem.isEmpty ? "documentFound" : "documentLost")
        event.documentProblem = problem.isEmpty ? nil : problem
        let text = problem.isEmpty ? "the document is back: the activity is offered again" : "not offered any more: "
        try show(event, text + printable(problem))
    }

    /// Shows whether the activity is withheld because the user is away, if that has changed.
    private func follow(_ isAway: Bool) throws {
        let isNew = state.withLock { state in
            defer { state.isWithheld = isAway }
            return isAway != state.isWithheld
        }
        guard isNew else { return }
        try show(
            PublishEvent(isAway ? "sessionAway" : "sessionBack"),
            isAway ? "not offered while this session is locked or idle" : "offered again: this session is in use"
        )
    }

    /// Shows which rule keeps the activity from being offered, if that has changed.
    private func follow(_ withheld: [WithheldDescription]) throws {
        let excluded = state.withLock { state in
            let excluded = withheld.filter { $0.activity != nil && $0.activity == state.object && !$0.device.isEmpty }
            defer { state.excluded = excluded }
            return excluded.filter { !state.excluded.contains($0) }
        }
        for rule in excluded { output.note("\(printable(rule.deviceName)) does not get it: \(rule.message)") }
        let (rule, isNew) = state.withLock { state in
            let rule = withheld.first { $0.activity != nil && $0.activity == state.object && $0.device.isEmpty }
            defer { state.rule = rule }
            return (rule, rule != state.rule)
        }
        guard isNew else { return }
        var event = PublishEvent(rule == nil ? "permitted" : "withheld")
        event.reason = rule?.reason
        event.message = rule?.message
        try show(event, rule.map { "not offered: \($0.message)" } ?? "offered again: no rule withholds it any more")
    }

    private func show(_ event: PublishEvent, _ text: String) throws {
        try output.print(event, text)
    }

    private static func place(_ kind: String?) -> String {
        switch kind {
        case "app": " in an app"
        case "browser": " in the browser"
        case "document": " with its document"
        default: ""
        }
    }
}

/// What `handoffctl publish --json` prints: one line for each event.
struct PublishEvent: Encodable {
    /// `offered`, `continued`, `continuationFailed`, `documentLost`, `documentFound`, `sessionAway`, `sessionBack`,
    /// `withheld`, `permitted`, `daemonStopped`, with `--follow` `willSave`, `streamOpened`, `streamEnded`, `streamFailed`,
    /// `invalidLine` or `ended`, and with `--copy` `copied` or `copyFailed`.
    let event: String
    /// The object of the activity, another one in each run of the daemon.
    var activity: String?
    var type: String?
    /// Why the document cannot follow now.
    var documentProblem: String?
    /// The id of the other device.
    var device: String?
    var deviceName: String?
    /// `app`, `browser` or `document`.
    var kind: String?
    /// The name of the error, as in Docs/dbus/errors.md.
    var error: String?
    /// Why a rule withholds it: `paused`, `receive-only`, `denied`, `not-allowed` or `unknown-host`.
    var reason: String?
    var message: String?
    /// The number of the stream.
    var stream: Int?
    /// The file into which the program writes what the stream carries.
    var path: String?

    init(_ event: String) {
        self.event = event
    }
}

extension DaemonStatus {
    /// Whether activities are not offered because the session is locked or idle.
    fileprivate var isSessionAway: Bool { advisories.contains { $0.name == Self.sessionAway } }

    /// Whether advisories, as in a change of the daemon's properties, contain that.
    fileprivate static func isSessionAway(_ advisories: Value) -> Bool {
        advisories.array?.contains { $0.stringDictionary?["Name"]?.string == sessionAway } ?? false
    }

    private static let sessionAway = "withheld"
}
