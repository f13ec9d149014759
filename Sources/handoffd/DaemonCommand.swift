import ArgumentParser
import Epoll
import Glibc
import HandoffBus
import HandoffDaemon
import HandoffRadioBlueZ
import HandoffRadioSimulated

/// The command `handoffd`: chooses a radio and runs the daemon over it.
@main
struct DaemonCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "handoffd",
        abstract: "Lets you continue on one of your computers what you do on another nearby.",
        version: HandoffVersion.current
    )

    @OptionGroup var options: DaemonCommandOptions

    /// The threads of the daemon's own: for both buses and bluetoothd, for the descriptors of the daemon and of the
    /// radio, and for files.
    private static let ownThreads = 8

    /// Runs the command, or says that the system allows too few threads for it.
    @MainActor
    static func main() async {
        // Before the first suspension, which may need a thread.
        if let shortage = ThreadSupply.shortage(of: ThreadSupply.poolThreads + ownThreads, for: "handoffd") {
            StartFailure.report(shortage, isForeground: CommandLine.arguments.contains("--foreground"))
            _exit(EXIT_FAILURE)
        }
        await main(nil)
    }

    func run() async throws {
        // Before any key is read.
        ProcessMemory.protect()
        // The reader of the log may exit before the daemon does.
        signal(SIGPIPE, SIG_IGN)
        let running = try options.settings()
        let settings = running.settings
        let logger = LogOutput.logger(from: running.threshold, isForeground: options.foreground)
        do {
            switch settings.radio {
            case .bluez(let adapter):
                let radio = BlueZRadio(adapter: adapter, transport: settings.transport, logger: logger)
                try await Daemon(running, radio: radio, logger: logger).run()
            case .simulated(let directory):
                let radio = SimulatedRadio(directory: directory, name: settings.daemon.stationName)
                try await Daemon(running, radio: radio, logger: logger).run()
            }
        } catch {
            StartFailure.report(error, to: logger)
            throw ExitCode.failure
        }
    }
}
