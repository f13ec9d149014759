package import ArgumentParser
import Epoll
private import Glibc
import HandoffBus

/// The command `handoffctl`.
package struct HandoffControl: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "handoffctl",
        abstract: "Continue activities of your other computers nearby on this one.",
        discussion: """
            EXAMPLES
              handoffctl pair                            pair two devices: run it on both
              handoffctl nearby --watch                  list activities after each change
              handoffctl continue                        continue the nearest activity
              handoffctl pause for 1h                    switch Handoff off for an hour
              handoffctl folders add docs ~/Documents    register a synchronised folder
              handoffctl publish --document report.odt   offer a document in that folder

            Offer an activity with a title and a state:
              handoffctl publish --type org.example.edit --title Draft \\
                --user-info '{"line": 12}'

            Copy a file: run the first command on one device, the second on another:
              handoffctl publish --copy FILE
              handoffctl copy

            EXIT STATUS
              0   success
              1   the daemon or the other device refused or failed; see standard error
              3   no daemon: handoffd is not running, or there is no bus
              4   not found: no such activity, device, app, folder or document
              5   pairing confirmed here; the answer of the other device is unknown:
                  see `handoffctl devices`
              64  invalid command line
              130, 143  ended by Ctrl-C or SIGTERM before the result was complete
            """,
        version: HandoffVersion.current,
        subcommands: [
            StatusCommand.self, PairCommand.self, NearbyCommand.self, PublishCommand.self, ContinueCommand.self,
            CopyCommand.self, StreamCommand.self, AppsCommand.self, BrowserCommand.self, FoldersCommand.self,
            DevicesCommand.self,
            PauseCommand.self,
            ResumeCommand.self, RulesCommand.self, ReloadCommand.self, MonitorCommand.self, DoctorCommand.self,
        ]
    )

    @OptionGroup var options: GlobalOptions

    package init() {}

    /// The threads for the connection to the bus, for a stream in both directions, and for signals.
    private static let ownThreads = 4

    /// Runs the command of the arguments of the process, and exits.
    @MainActor
    package static func run() async {
        // Before the first suspension, which may need a thread.
        if let shortage = ThreadSupply.shortage(of: ThreadSupply.poolThreads + ownThreads, for: "handoffctl") {
            Output(isJSON: false).note(shortage)
            _exit(ExitStatus.failed.rawValue)
        }
        let arguments = Array(CommandLine.arguments.dropFirst())
        if let unknown = UnknownCommand(in: arguments, of: Self.self) {
            Output(isJSON: false).note(unknown.message)
            Self.exit(withError: ExitCode(ExitStatus.usage.rawValue))
        }
        await main(arguments)
    }
}
