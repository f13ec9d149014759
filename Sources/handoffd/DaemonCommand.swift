import ArgumentParser
import Glibc
import HandoffBus
import HandoffDaemon
import HandoffRadioBlueZ
import HandoffRadioSimulated

/// The command `handoffd`: chooses a radio and runs the daemon over it.
struct DaemonCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "handoffd",
        abstract: "Lets you continue on one of your computers what you do on another nearby.",
        version: HandoffVersion.current
    )

    @OptionGroup var options: DaemonCommandOptions

    func run() async throws {
        // Before any key is read.
        ProcessMemory.protect()
        // The reader of the log may exit before the daemon does.
        signal(SIGPIPE, SIG_IGN)
        if options.printConfig { return print(try options.configuration(), terminator: "") }
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
