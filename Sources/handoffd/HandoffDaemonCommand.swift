import ArgumentParser
import DBus
import HandoffDaemon
import HandoffModel
import HandoffRadioBlueZ
import HandoffRadioSimulated
import Logging

/// The command `handoffd`: reads its options, chooses a radio, and runs the daemon over it.
@main
struct HandoffDaemonCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "handoffd",
        abstract: "Lets what you do on one of your computers be continued on another that is near.",
        version: Version.current
    )

    @OptionGroup var settings: SettingsOptions

    func run() async throws {
        let settings = try settings.resolved()
        let logger = LogOutput.logger(level: settings.logLevel, isForeground: settings.isForeground)
        do {
            switch settings.radio {
            case .bluez(let adapter):
                try await Daemon(options: settings.daemon, radio: BlueZRadio(adapter: adapter, logger: logger), logger: logger)
                    .run()
            case .simulated(let directory):
                let radio = try SimulatedRadio(directory: directory, name: settings.daemon.name.rawValue)
                try await Daemon(options: settings.daemon, radio: radio, logger: logger).run()
            }
        } catch {
            throw Startup.failure(error, logger)
        }
    }
}
