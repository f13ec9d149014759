import ArgumentParser
import DBus
private import Glibc
import HandoffBus
import HandoffClient

/// `handoffctl pair`: pairs this device with another one.
struct PairCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pair",
        abstract: "Pair two devices, so that they trust each other.",
        discussion: """
            Run it on both devices, near each other, within two minutes. Both show six
            digits: type yes on both if they are equal. It needs a terminal; for a
            dialog of your own, implement the D-Bus interface PairingAgent1.
            """
    )

    @OptionGroup var options: GlobalOptions

    func run() async throws {
        try await options.withClient { client, output in
            guard isatty(STDIN_FILENO) != 0 else {
                throw CommandFailure(
                    status: .failed,
                    message: "Pairing asks you to compare digits: run the command in a terminal."
                )
            }
            let dialog = PairingDialog(output: output)
            client.connection.objects.insert([.pairingAgent(dialog.agent)], at: PairingDialog.path)
            try await client.pair(agent: PairingDialog.path)
            try await Interruptions.handled { interruptions in
                try await dialog.run {
                    try await Self.waitForDaemonExit(client)
                } interruptions: { interrupt in
                    while let status = try? await interruptions.next() { interrupt(status == .terminated) }
                } stop: {
                    client.sendStopOfPairing()
                }
            }
        }
    }

    private static func waitForDaemonExit(_ client: HandoffClient) async throws {
        try await client.connection.withOwner(of: HandoffName.control) { owners in
            for await owner in owners where owner == nil { return }
        }
    }
}
