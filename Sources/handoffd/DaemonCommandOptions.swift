import ArgumentParser
import Glibc
import HandoffDaemon

/// The command line of `handoffd`.
struct DaemonCommandOptions: ParsableArguments {
    @Flag(help: "Log in a form for terminals, with the time of day.")
    var foreground = false

    @Option(
        help: ArgumentHelp(
            "bluez, or simulated:DIR to simulate a radio without Bluetooth. (default: bluez)",
            valueName: "radio"
        )
    )
    var radio: String?

    @Option(help: ArgumentHelp("The Bluetooth adapter. (default: the first usable one)", valueName: "hciN"))
    var adapter: String?

    @Option(
        help: ArgumentHelp(
            "The transport of channels over Bluetooth: l2cap, gatt, both, or automatic. (default: automatic)",
            valueName: "kind"
        )
    )
    var transport: String?

    @Option(help: ArgumentHelp("session, system, or the address of a bus. (default: session)", valueName: "bus"))
    var bus: String?

    @Option(
        help: ArgumentHelp(
            "Where keys and trusted devices are kept. (default: $XDG_STATE_HOME/handoff, ~/.local/state/handoff)",
            valueName: "dir"
        )
    )
    var stateDir: String?

    @Option(
        help: ArgumentHelp(
            "A file with defaults for these options. (default: $XDG_CONFIG_HOME/handoff/handoffd.conf, /etc/xdg)",
            valueName: "file"
        )
    )
    var config: String?

    @Option(help: "The name under which your other devices show this one. (default: the host name)")
    var name: String?

    @Flag(help: "Advertise also while there is nothing to continue, so that outsiders cannot tell when you work.")
    var cover = false

    @Option(help: ArgumentHelp("trace, debug, info, notice, warning, error or critical.", valueName: "level"))
    var logLevel: String?

    @Flag(help: "Print the configuration files, as one, and exit.")
    var printConfig = false

    /// The settings that follow from these options, the configuration files and the environment.
    func settings() throws -> RunningSettings {
        try checked { try RunningSettings(line) }
    }

    /// What ``printConfig`` prints.
    func configuration() throws -> String {
        try checked { try RunningSettings.fileText(line) }
    }

    private func checked<Success>(_ read: () throws -> Success) throws -> Success {
        do {
            return try read()
        } catch let error as SettingsError {
            throw ValidationError(error.message)
        }
    }

    private var line: Settings.CommandLine {
        var line = Settings.CommandLine()
        line.radio = radio
        line.adapter = adapter
        line.transport = transport
        line.bus = bus
        line.stateDirectory = stateDir
        line.configuration = config
        line.name = name
        line.logLevel = logLevel
        line.covers = cover
        return line
    }
}
