import Dispatch
import HandoffKit

/// A sample browser without web pages: it shows four tabs in a terminal, each of which can be continued in the same tab
/// on another computer.
///
/// With `--service`, as D-Bus starts it, it reads no commands and runs until it is terminated.
@main
struct MonkeyBrowser {
    @MainActor
    static func main() async throws {
        let browser = Browser()
        let isService = CommandLine.arguments.contains("--service")
        try await Handoff.run(application: Browser.id, delegate: browser) { handoff in
            let (lines, input) = AsyncStream<String>.makeStream()
            if !isService { read(into: input) }
            await browser.run(lines, in: handoff)
            input.finish()
        }
    }

    /// Reads the lines of standard input on a thread that may block.
    private static func read(into input: AsyncStream<String>.Continuation) {
        DispatchQueue(label: "standard input").async {
            while let line = readLine() { input.yield(line) }
            input.finish()
        }
    }
}
