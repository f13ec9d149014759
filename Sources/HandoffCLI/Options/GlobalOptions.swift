import ArgumentParser
import DBus
import HandoffBus

/// The options that all commands share.
struct GlobalOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The daemon's bus: session, system or a D-Bus address.", valueName: "address"))
    var bus: String = "session"

    @Flag(help: "Print JSON instead of text.")
    var json = false

    /// The output of the command.
    var output: Output { Output(isJSON: json) }

    /// Runs `body` with a client of the daemon; prints an error that it throws and converts it to an exit status.
    func withClient(_ body: @escaping @Sendable (HandoffClient, Output) async throws -> Void) async throws {
        let output = output
        do {
            try await Connection.withConnection(to: BusAddress(argument: bus)) { connection in
                try await body(HandoffClient(connection: connection), output)
            }
        } catch {
            throw output.failure(error)
        }
    }
}
