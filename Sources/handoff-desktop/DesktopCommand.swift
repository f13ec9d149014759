import ArgumentParser
import AsyncSupport
import DBus
import Epoll
import Glibc
import HandoffBus
import HandoffDesktop

/// The command `handoff-desktop`: Handoff in the panel, the notifications and the search of a desktop.
struct DesktopCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "handoff-desktop",
        abstract: "Shows in the desktop's panel what can be continued here, and pairs devices by notifications.",
        version: HandoffVersion.current
    )

    @Option(help: ArgumentHelp("The daemon's bus: session, system or a D-Bus address.", valueName: "address"))
    var bus: String = "session"

    func run() async throws {
        // The reader of the log may exit first.
        signal(SIGPIPE, SIG_IGN)
        // The kernel keeps nothing of a program that was started and has ended.
        signal(SIGCHLD, SIG_IGN)
        do {
            try await Reactor.withReactor { reactor in
                let signals = try SignalStream([SIGINT, SIGTERM], on: reactor)
                try await Connection.withConnection(to: BusAddress(argument: bus)) { connection in
                    let service = DesktopService(connection: connection, environment: Self.environment)
                    try await race {
                        try await service.run()
                    } _: {
                        _ = try await signals.next()
                    }
                }
            }
        } catch let error as DBusError where error.code == .nameTaken {
            // A desktop may start it twice: as a service, and from its list of programs to start.
            Self.note("handoff-desktop runs already: \(error.message).")
        } catch {
            Self.note("handoff-desktop has ended: \((error as? DBusError)?.message ?? "\(error)")")
            throw ExitCode.failure
        }
    }

    private static var environment: [String: String] {
        var (variables, next) = ([String: String](), environ)
        while let entry = next.pointee {
            let parts = String(cString: entry).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { variables[String(parts[0])] = String(parts[1]) }
            next += 1
        }
        return variables
    }

    static func note(_ line: String) {
        var text = line + "\n"
        _ = text.withUTF8 { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
