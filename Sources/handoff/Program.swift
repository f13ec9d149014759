import AsyncSupport
import Glibc
import HandoffBus
import HandoffWindow

/// The window of Handoff.
@main
enum Program {
    private static let help = """
        usage: handoff [--help] [--version]

        Shows a window: what can be continued on this computer, your devices, pairing,
        rules, and what is wrong. Everything in it can be done with handoffctl, too.

        """
    /// The exit status for wrong usage (sysexits(3)).
    private static let usageError: Int32 = 64

    @MainActor
    static func main() async {
        switch Array(CommandLine.arguments.dropFirst()) {
        case []: exit(await run())
        case ["--help"], ["-h"]: write(help, to: STDOUT_FILENO)
        case ["--version"]: write(HandoffVersion.current + "\n", to: STDOUT_FILENO)
        default:
            write(help, to: STDERR_FILENO)
            exit(usageError)
        }
    }

    /// Runs the main loop of GTK on this thread, the main one, and the session beside it in the thread pool.
    @MainActor
    private static func run() async -> Int32 {
        if let directory = ProgramPaths.catalogues { Translation.useCatalogues(in: directory) }
        let application = WindowApplication()
        let session = application.makeSession()
        return await withTaskGroup(of: Void.self) { group in
            group.addTask {
                if (try? await application.hasWindow.value()) == true { await session.run() }
            }
            return application.run()
        }
    }

    private static func write(_ text: String, to descriptor: Int32) {
        var text = text
        text.withUTF8 { _ = Glibc.write(descriptor, $0.baseAddress, $0.count) }
    }
}
