import DBus

/// What the command line asks for.
enum DesktopArguments {
    /// Runs with the daemon of that bus.
    case run(BusAddress)
    case help
    case version
    /// It cannot be understood; why.
    case invalid(String)

    static let usage = "usage: handoff-desktop [--bus ADDRESS] [--help] [--version]\n"

    /// What `--help` prints.
    static let helpText =
        usage + """

            Shows in the desktop's panel what can be continued here, and pairs devices by
            notifications. What it does, handoffctl does as well.

              --bus ADDRESS   the daemon's bus: session, system or a D-Bus address
                              (default: session)

            """

    /// Reads the arguments after the name of the program.
    init(_ arguments: some Sequence<String>) {
        var (bus, rest) = (BusAddress.session, arguments.makeIterator())
        while let argument = rest.next() {
            switch argument {
            case "--help", "-h": self = .help
            case "--version": self = .version
            case "--bus":
                guard let address = rest.next() else {
                    self = .invalid("--bus needs an address")
                    return
                }
                bus = BusAddress(argument: address)
                continue
            case let argument where argument.hasPrefix("--bus="):
                bus = BusAddress(argument: String(argument.dropFirst("--bus=".count)))
                continue
            default: self = .invalid("\(argument) is not known")
            }
            return
        }
        self = .run(bus)
    }
}
