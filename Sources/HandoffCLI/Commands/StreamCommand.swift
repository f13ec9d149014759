import ArgumentParser
import HandoffBus

/// `handoffctl stream`: standard input and output as one end of a continuation stream.
struct StreamCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stream",
        abstract: "Connect stdin and stdout to the app of an activity.",
        usage: "handoffctl stream [<options>] [<id>] [--type <type>]",
        discussion: """
            Continues the activity: standard input goes to its app, and what the app writes
            goes to standard output. Without an ID or a type, it takes the nearest activity.
            Together with `handoffctl publish --stream` on the other device, it is a pipe
            between two computers.

            Exits with 0 only when both sides have finished and the other one has taken all
            that was sent. In a script whose standard input stays open, --receive ends it
            with the other side.
            """
    )

    @OptionGroup var options: GlobalOptions

    @Argument(
        help: "The number of the activity in `handoffctl nearby`.",
        completion: KnownNames.nearbyNumbers.completion
    )
    var id: Int?

    @Option(help: "Take the nearest activity of this type.", completion: KnownNames.nearbyTypes.completion)
    var type: String?

    @OptionGroup var waiting: WaitOption

    @OptionGroup var directions: StreamDirectionOptions

    @Option(help: ArgumentHelp("For programs: the continuation of an activity that was fetched.", valueName: "text"))
    var continuation: String?

    @Option(help: ArgumentHelp("With --continuation: the name of the device, to show.", valueName: "name"))
    var deviceName: String?

    func validate() throws {
        guard continuation == nil || id == nil && type == nil && waiting.wait == nil else {
            throw ValidationError("--continuation says already which activity it is.")
        }
        guard deviceName == nil || continuation != nil else {
            throw ValidationError("--device-name needs --continuation.")
        }
        guard id == nil || type == nil else { throw ValidationError("Give an ID or --type, not both.") }
        guard id == nil || waiting.wait == nil else {
            throw ValidationError("Give an ID or --wait, not both: an activity that is not there yet has no ID.")
        }
    }

    // Signals are not trapped: a signal that ends the process ends the stream, with an error for the other side.
    func run() async throws {
        let (id, type, waiting, direction) = (id, type, waiting, directions.direction)
        let (known, knownName) = (continuation, deviceName ?? "the other device")
        try await options.withClient { client, output in
            if let known {
                let streams = StandardStreams(direction: direction, deviceName: printable(knownName))
                return try await streams.connect(to: try await client.openStream(known), of: client)
            }
            let chosen = try await waiting.choice(from: client, id: id, type: type, output)
            guard let continuation = try await client.fetch(chosen.path, for: .take).continuation else {
                throw CommandFailure(
                    status: .failed,
                    message: "The app on \(printable(chosen.deviceName)) accepts no continuation streams."
                )
            }
            let streams = StandardStreams(direction: direction, deviceName: printable(chosen.deviceName))
            try await streams.connect(to: try await client.openStream(continuation), of: client)
        }
    }
}
