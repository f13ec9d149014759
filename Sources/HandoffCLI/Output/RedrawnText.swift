private import Glibc
private import Synchronization

/// A text that changes: on a terminal it is written again in its place, elsewhere below what was written before.
final class RedrawnText: Sendable {
    private let output: Output
    private let isInPlace: Bool
    /// What is on the terminal.
    private let shown = Mutex<[Substring]>([])

    init(_ output: Output) {
        self.output = output
        let terminal = getenv("TERM").map { String(cString: $0) }
        isInPlace = !output.isJSON && isatty(STDOUT_FILENO) != 0 && ![nil, "", "dumb"].contains(terminal)
    }

    /// Shows a text in place of the one before; with `--json`, `document` as one more line.
    ///
    /// - Throws: as `Output.write(_:)`.
    func show(_ document: some Encodable, _ text: String) throws {
        guard isInPlace else { return try output.print(document, text) }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let old = shown.withLock { shown in
            defer { shown = lines }
            return shown
        }
        try output.write(text, after: Self.erasure(of: old))
    }

    /// Moves the cursor up to the first row of `lines`, and erases from there on (ECMA-48, CUU and ED).
    ///
    /// What has left the screen at its top stays above it.
    private static func erasure(of lines: [Substring]) -> String {
        guard !lines.isEmpty else { return "" }
        let width = TerminalWidth.ofOutput ?? .max
        let rows = lines.reduce(0) { $0 + max(1, (String($1).cellCount - 1) / width + 1) }
        return "\u{1B}[\(rows)A\u{1B}[J"
    }
}
