import ArgumentParser
import DBus
private import Glibc
import HandoffBus

/// `handoffctl pair`: make this device and another one trust each other.
struct PairCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pair",
        abstract: "Make this device and another one trust each other.",
        discussion: """
            Run it on both devices, near each other, within two minutes. Both show six digits: say yes on both if they are
            the same. It asks a person, so it needs a terminal; for a dialog of your own there is PairingAgent1 on the bus.
            """
    )

    @OptionGroup var options: GlobalOptions

    func run() async throws {
        try await options.withClient { client, output in
            guard isatty(STDIN_FILENO) != 0 else {
                throw CommandFailure(
                    status: .failed,
                    message: "Pairing asks a person to compare digits: run it in a terminal."
                )
            }
            let dialog = PairingDialog(output: output)
            client.connection.objects.insert([.pairingAgent(dialog.agent)], at: PairingDialog.path)
            try await client.pair(agent: PairingDialog.path)
            dialog.begin()
            try await untilInterrupted {
                try await dialog.run(until: { try await Self.waitForDaemonExit(client) })
            }
            guard dialog.hasEnded else {
                throw CommandFailure(
                    status: .failed,
                    message: "You have stopped it. See `handoffctl devices` for what is trusted."
                )
            }
        }
    }

    private static func waitForDaemonExit(_ client: HandoffClient) async throws {
        try await client.connection.withOwner(of: HandoffName.bus) { owners in
            for await owner in owners where owner == nil { return }
        }
    }
}
