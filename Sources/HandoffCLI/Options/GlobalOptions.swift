import ArgumentParser
import DBus
import HandoffBus

/// The options that every command has.
struct GlobalOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The bus of the daemon: session, system, or an address.", valueName: "address"))
    var bus: String = "session"

    @Flag(help: "Print JSON for programs instead of text for people.")
    var json = false

    /// Runs `body` with the daemon, turning what goes wrong into a sentence and an exit status.
    func withClient(_ body: @escaping @Sendable (HandoffClient, Output) async throws -> Void) async throws {
        let output = Output(isJSON: json)
        do {
            try await Connection.withConnection(to: BusAddress(argument: bus)) { connection in
                try await body(HandoffClient(connection: connection), output)
            }
        } catch {
            throw output.failure(error)
        }
    }
}
