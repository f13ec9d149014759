import Dispatch
import HandoffKit

/// A browser for monkeys, who cannot read: it shows four tabs in a terminal, and hands each off to the same tab of the
/// monkey's other computer.
///
/// With `--service`, as D-Bus starts it, it takes no commands, and stays until it is ended.
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

    /// Reads the lines of standard input, on a thread that may wait.
    private static func read(into input: AsyncStream<String>.Continuation) {
        DispatchQueue(label: "standard input").async {
            while let line = readLine() { input.yield(line) }
            input.finish()
        }
    }
}
