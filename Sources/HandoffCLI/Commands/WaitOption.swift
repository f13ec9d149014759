import ArgumentParser
import AsyncSupport
import DBus
import HandoffBus
import HandoffClient

/// The option of commands that can wait until an activity appears.
struct WaitOption: ParsableArguments {
    @Option(
        defaultAsFlag: WaitLimit(seconds: nil),
        parsing: .next,
        help: ArgumentHelp(
            "Wait until the activity appears; exit with 4 after that many seconds without it.",
            valueName: "seconds"
        )
    )
    var wait: WaitLimit?

    /// The activity that the arguments select, once there is one if the option was given.
    ///
    /// While it waits, the daemon scans continuously.
    ///
    /// - Throws: ``CommandFailure`` if there is none, or none in time, Handoff is paused, or the daemon has stopped.
    func choice(
        from client: HandoffClient,
        id: Int?,
        type: String?,
        preferring preference: ActivityPreference = .any,
        _ output: Output
    ) async throws -> NearbyActivityDescription {
        guard let wait else {
            return try await client.finding {
                guard id == nil else {
                    return try ContinueCommand.choice(from: try await client.objects().nearby, id: id, type: nil)
                }
                return try await Self.present(client, type: type, preference)
            }
        }
        // This also starts a daemon that the bus can start.
        try await client.startLooking()
        if let failure = try await client.pauseFailure() { throw failure }
        let first: @Sendable () async throws -> NearbyActivityDescription = {
            try await race(
                { try await Self.first(from: client, type: type, preferring: preference, output) },
                { throw try await client.daemonExit(thenLost: "the wait") }
            )
        }
        guard let seconds = wait.seconds else { return try await first() }
        let late = CommandFailure(
            status: .notFound,
            message: "No activity \(Self.name(of: type))appeared nearby within \(seconds) s."
        )
        return try await withTimeout(.seconds(seconds), throwing: late, body: first)
    }

    /// The nearest activity that is there, also if it takes a moment to hear it.
    private static func present(
        _ client: HandoffClient,
        type: String?,
        _ preference: ActivityPreference
    ) async throws -> NearbyActivityDescription {
        let look = try await BriefLook(client: client).first { nearby in
            try Self.choice(from: nearby, type: type, preference)
        }
        if let chosen = look.found { return chosen }
        do {
            return try ContinueCommand.choice(
                from: try await client.objects().nearby,
                id: nil,
                type: type,
                preferring: preference
            )
        } catch let failure as CommandFailure where !look.message.isEmpty {
            throw CommandFailure(status: failure.status, message: "\(failure.message) \(look.message)")
        }
    }

    private static func first(
        from client: HandoffClient,
        type: String?,
        preferring preference: ActivityPreference,
        _ output: Output
    ) async throws -> NearbyActivityDescription {
        let wait = { output.noteOnTerminal("waiting for an activity \(name(of: type))… (Ctrl-C ends this)") }
        return try await client.first(in: [.nearby, .distances], wait: wait) {
            try choice(from: $0.objects.nearby, type: type, preference)
        }
    }

    /// The nearest of these activities, of that type if there is one; nil if there is none.
    private static func choice(
        from nearby: [NearbyActivityDescription],
        type: String?,
        _ preference: ActivityPreference
    ) throws -> NearbyActivityDescription? {
        do {
            return try ContinueCommand.choice(from: nearby, id: nil, type: type, preferring: preference)
        } catch let failure as CommandFailure where failure.status == .notFound {
            return nil
        }
    }

    private static func name(of type: String?) -> String { type.map { "of type \($0) " } ?? "" }
}

/// How long a command waits.
struct WaitLimit: ExpressibleByArgument, CustomStringConvertible {
    /// The most seconds; nil for no limit.
    let seconds: Int?

    init(seconds: Int?) {
        self.seconds = seconds
    }

    /// A number of seconds up to 31 years; nil for any other text.
    init?(argument: String) {
        guard let seconds = Int(argument), (0...1_000_000_000).contains(seconds) else { return nil }
        self.seconds = seconds
    }

    /// As `--help` shows it.
    var description: String { seconds.map(String.init) ?? "no limit" }
}

extension HandoffClient {
    /// Waits until the daemon exits; returns the failure of a command that needs it.
    ///
    /// - Parameter lost: what has ended with the daemon, as a noun: "the activity".
    /// - Throws: `DBusError` when the connection to the bus ends, `CancellationError` when the task is cancelled.
    func daemonExit(thenLost lost: String) async throws -> CommandFailure {
        try await connection.withOwner(of: HandoffName.control) { owners in
            for await owner in owners where owner == nil { return }
        }
        try Task.checkCancellation()
        return CommandFailure(
            status: .noDaemon,
            message: "handoffd has stopped, which ended \(lost). Start it and try again."
        )
    }
}
