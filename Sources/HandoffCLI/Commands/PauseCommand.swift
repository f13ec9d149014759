import ArgumentParser
import HandoffBus
import HandoffModel

/// `handoffctl pause`: switches Handoff off for a while.
struct PauseCommand: AsyncParsableCommand {
    enum Preposition: String, CaseIterable, ExpressibleByArgument {
        case `for`
    }

    static let configuration = CommandConfiguration(
        commandName: "pause",
        abstract: "Switch Handoff off, until `resume` or for a time.",
        usage: "handoffctl pause [<options>] [for <duration>]",
        discussion: """
            Nothing is advertised, nothing is listened for, and no activity is given or taken.
            The devices stay paired, and `handoffctl pair` still works. A pause outlasts
            restarts.
            """
    )

    @OptionGroup var options: GlobalOptions

    @Argument(help: "The word for.")
    var preposition: Preposition?

    @Argument(help: "How long, such as 90s, 30m, 1h, 1h30m or 2d. (default: until `handoffctl resume`)")
    var duration: PauseDuration?

    func validate() throws {
        guard (preposition == nil) == (duration == nil) else {
            throw ValidationError("Say for how long, such as `handoffctl pause for 1h`.")
        }
    }

    func run() async throws {
        let duration = duration
        try await options.withClient { client, output in
            let now = try Timestamp.now
            let end = duration.map { UInt64(now.seconds + $0.seconds) * 1_000_000 + UInt64(now.nanoseconds / 1000) }
            try await client.pause(until: end ?? 0)
            let status = try await client.rules()
            try output.print(PauseDocument(status), status.pauseSentence(at: now) ?? "Handoff is not paused.")
        }
    }
}

/// `handoffctl resume`: ends a pause.
struct ResumeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "resume", abstract: "End a pause of Handoff.")

    @OptionGroup var options: GlobalOptions

    func run() async throws {
        try await options.withClient { client, output in
            try await client.resume()
            try output.print(PauseDocument(try await client.rules()), "Handoff is on.")
        }
    }
}

/// `handoffctl reload`: makes the daemon read its configuration again.
struct ReloadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reload",
        abstract: "Apply the configuration files without a restart."
    )

    @OptionGroup var options: GlobalOptions

    func run() async throws {
        try await options.withClient { client, output in
            let result = try await client.reload()
            let applied =
                result.applied.isEmpty ? "no setting has changed" : "changed: \(result.applied.joined(separator: ", "))"
            let rest =
                result.needRestart.isEmpty
                ? "" : "\nhold after a restart of handoffd: \(result.needRestart.joined(separator: ", "))"
            try output.print(result, applied + rest)
        }
    }
}

/// How long a pause lasts.
struct PauseDuration: ExpressibleByArgument {
    /// From a second to a year.
    let seconds: Int64

    private static let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86400]
    private static let maximum: Int64 = 366 * 86400

    /// Reads numbers that are followed by `s`, `m`, `h` or `d`, such as `1h30m`; nil for any other text.
    init?(argument: String) {
        var (total, rest): (Int64, Substring) = (0, argument[...])
        while !rest.isEmpty {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            rest = rest.dropFirst(digits.count)
            guard let number = Int64(digits), number <= Self.maximum,
                let unit = rest.popFirst().flatMap({ Self.units[$0] })
            else { return nil }
            total += number * unit
            guard total <= Self.maximum else { return nil }
        }
        guard total > 0 else { return nil }
        seconds = total
    }
}

/// What `handoffctl pause --json` and `handoffctl resume --json` print.
struct PauseDocument: Encodable {
    let paused: Bool
    /// When the pause ends, as in ISO 8601; nil when it has no end.
    let pausedUntil: String?

    init(_ status: RulesStatus) {
        paused = status.isPaused
        pausedUntil = Timestamp(microseconds: status.pausedUntil)?.description
    }
}

extension RulesStatus {
    /// That Handoff is paused, until when, and how to end it; nil when it is not paused.
    func pauseSentence(at now: Timestamp) -> String? {
        guard isPaused else { return nil }
        let end = Timestamp(microseconds: pausedUntil).map { " until \($0.localMinute(at: now))" } ?? ""
        return "Handoff is paused\(end); `handoffctl resume` ends the pause."
    }

    /// The failure of a command that needs Handoff while it is paused; nil when it is not.
    var pauseFailure: CommandFailure? {
        get throws {
            try pauseSentence(at: .now).map {
                CommandFailure(
                    status: .failed,
                    message: $0,
                    name: HandoffErrorName.prefix + HandoffErrorName.paused.rawValue
                )
            }
        }
    }
}

extension HandoffClient {
    /// Returns the failure of a command that needs Handoff while it is paused; nil when it is not.
    func pauseFailure() async throws -> CommandFailure? { try await rules().pauseFailure }
}
