import AsyncSupport
import DBus
import Epoll
import Glibc
import HandoffBus
import HandoffDesktop

/// The command `handoff-desktop`: Handoff in the panel, the notifications and the search of a desktop.
///
/// It reads its arguments without ArgumentParser, whose Foundation would stay in memory as long as the session lasts.
enum DesktopCommand {
    /// The exit status for wrong usage (sysexits(3)).
    private static let usageError: Int32 = 64

    /// Does what the arguments of the process say; returns the exit status.
    static func run() async -> Int32 {
        switch DesktopArguments(CommandLine.arguments.dropFirst()) {
        case .run(let bus): return await serve(over: bus)
        case .help: put(DesktopArguments.helpText, to: STDOUT_FILENO)
        case .version: put(HandoffVersion.current + "\n", to: STDOUT_FILENO)
        case .invalid(let reason):
            put("handoff-desktop: \(reason)\n" + DesktopArguments.usage, to: STDERR_FILENO)
            return usageError
        }
        return EXIT_SUCCESS
    }

    private static func serve(over bus: BusAddress) async -> Int32 {
        // The reader of the log may exit first.
        signal(SIGPIPE, SIG_IGN)
        // The kernel keeps nothing of a program that was started and has ended.
        signal(SIGCHLD, SIG_IGN)
        do {
            try await Reactor.withReactor { reactor in
                let signals = try SignalStream([SIGINT, SIGTERM], on: reactor)
                try await Connection.withConnection(to: bus) { connection in
                    let service = DesktopService(connection: connection, environment: environment)
                    try await race {
                        try await service.run()
                    } _: {
                        _ = try await signals.next()
                    }
                }
            }
        } catch let error as DBusError where error.code == .nameTaken {
            // A desktop may start it twice: as a service, and from its list of programs to start.
            note("handoff-desktop runs already: \(error.message).")
        } catch {
            note("handoff-desktop has ended: \((error as? DBusError)?.message ?? "\(error)")")
            return EXIT_FAILURE
        }
        return EXIT_SUCCESS
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

    /// Prints a line to standard error.
    static func note(_ line: String) { put(line + "\n", to: STDERR_FILENO) }

    private static func put(_ text: String, to descriptor: Int32) {
        var text = text
        _ = text.withUTF8 { write(descriptor, $0.baseAddress, $0.count) }
    }
}
