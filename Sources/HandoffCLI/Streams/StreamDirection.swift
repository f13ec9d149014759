import ArgumentParser

/// The direction in which a command uses a continuation stream.
enum StreamDirection: Sendable {
    /// Standard input is sent, and what arrives goes to standard output.
    case both
    /// Standard input is not read.
    case receiving
    /// Nothing is written to standard output.
    case sending

    var reads: Bool { self != .receiving }
}

/// The options that limit a stream to one direction.
struct StreamDirectionOptions: ParsableArguments {
    @Flag(help: "Only receive: do not read stdin.")
    var receive = false

    @Flag(help: "Only send: expect nothing from the other side.")
    var send = false

    var direction: StreamDirection { receive ? .receiving : send ? .sending : .both }

    func validate() throws {
        guard !(receive && send) else { throw ValidationError("Give --receive or --send, not both.") }
    }
}
