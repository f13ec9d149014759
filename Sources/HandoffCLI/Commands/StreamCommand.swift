import ArgumentParser
import HandoffBus

/// `handoffctl stream`: standard input and output as one end of a continuation stream.
struct StreamCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stream",
        abstract: "Continue an activity and talk with its app: standard input goes there, what it writes comes out.",
        discussion: """
            Without an ID or a type, the nearest activity is taken. With `handoffctl publish --stream` on the other
            device, this is a pipe between two machines.
            """
    )

    @OptionGroup var options: GlobalOptions

    @Argument(help: "The activity's number, as `handoffctl nearby` shows it.")
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
                guard let continuation = try await client.fetch(chosen.path).continuation else {
                    throw CommandFailure(
                        status: .failed,
                        message: "The app on \(printable(chosen.deviceName)) takes no continuation streams."
                    )
                }
                try await StandardStreams.connect(to: try await client.openStream(continuation))
            }
        }
    }
}
