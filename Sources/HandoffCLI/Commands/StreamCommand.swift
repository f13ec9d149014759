import ArgumentParser
import HandoffBus

/// `handoffctl stream`: standard input and output as one end of a continuation stream.
struct StreamCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stream",
        abstract: "Connect stdin and stdout to the app of an activity.",
        discussion: """
            Continues the activity: standard input goes to its app, and what the app writes
            goes to standard output. Without an ID or a type, it takes the nearest activity.
            Together with `handoffctl publish --stream` on the other device, it is a pipe
            between two computers.
            """
    )

    @OptionGroup var options: GlobalOptions

    @Argument(help: "The number of the activity in `handoffctl nearby`.")
    var id: Int?

    @Option(help: "Take the nearest activity of this type.")
    var type: String?

    func validate() throws {
        guard id == nil || type == nil else { throw ValidationError("Give an ID or --type, not both.") }
    }

    func run() async throws {
        let (id, type) = (id, type)
        try await options.withClient { client, _ in
            try await untilInterrupted {
                let chosen = try ContinueCommand.choice(from: try await client.objects().nearby, id: id, type: type)
                guard let continuation = try await client.fetch(chosen.path, for: .take).continuation else {
                    throw CommandFailure(
                        status: .failed,
                        message: "The app on \(printable(chosen.deviceName)) accepts no continuation streams."
                    )
                }
                try await StandardStreams.connect(to: try await client.openStream(continuation))
            }
        }
    }
}
