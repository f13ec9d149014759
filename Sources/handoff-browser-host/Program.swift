import AsyncSupport
import Epoll
import Glibc
import HandoffBrowser
import HandoffBus
import HandoffKit
import SystemPackage

/// The native messaging host of the extension: one process for each browser that runs, started by it.
@main
enum Program {
    /// The exit status for input that is not accepted, and for wrong usage (sysexits(3)).
    private static let (dataError, usageError): (Int32, Int32) = (65, 64)

    static func main() async {
        switch HostInvocation(Array(CommandLine.arguments.dropFirst())) {
        case .browser: exit(await serve())
        case .help: write(HostInvocation.explanation, to: STDOUT_FILENO)
        case .version: write(HandoffVersion.current + "\n", to: STDOUT_FILENO)
        case .other:
            write(HostInvocation.explanation, to: STDERR_FILENO)
            exit(usageError)
        }
    }

    /// Serves the browser until it closes standard input.
    ///
    /// - Returns: the exit status.
    private static func serve() async -> Int32 {
        // A browser that was killed does not read its answers.
        signal(SIGPIPE, SIG_IGN)
        do {
            try await Reactor.withReactor { reactor in
                let port = try BrowserPort(on: reactor)
                try await port.whileWriting { try await serve(port) }
            }
            return EXIT_SUCCESS
        } catch let error as BrowserError {
            write("handoff-browser-host: \(error.message)\n", to: STDERR_FILENO)
            return dataError
        } catch {
            write("handoff-browser-host: \(error)\n", to: STDERR_FILENO)
            return EXIT_FAILURE
        }
    }

    private static func serve(_ port: BrowserPort) async throws {
        guard let browser = try await port.hello() else { return }
        let session = BrowserSession(port: port)
        try await Handoff.run(application: browser.application, delegate: session) { handoff in
            port.send(.ready(version: HandoffVersion.current))
            try await withBackgroundTasks([{ try await session.run(in: handoff) }]) {
                while let message = try await port.next() { session.handle(message, in: handoff) }
            }
        }
    }

    private static func write(_ text: String, to descriptor: Int32) {
        var text = text
        _ = text.withUTF8 { Glibc.write(descriptor, $0.baseAddress, $0.count) }
    }
}
