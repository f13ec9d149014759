import Dispatch

/// The lines that the user types, until the end of input; none when the bus has started the editor with `--service`.
func typedLines() -> AsyncStream<String> {
    let (lines, input) = AsyncStream<String>.makeStream()
    guard !CommandLine.arguments.contains("--service") else { return lines }
    // On a queue of its own, because readLine blocks.
    DispatchQueue(label: "standard input").async {
        while let line = readLine() { input.yield(line) }
        input.finish()
    }
    return lines
}
