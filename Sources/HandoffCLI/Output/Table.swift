import HandoffClient

/// Rows of text in aligned columns.
struct Table {
    private var rows: [[String]]

    init(_ header: String...) {
        rows = [header]
    }

    mutating func append(_ cells: String...) {
        rows.append(cells)
    }

    /// The rows, with two spaces between columns and none at the end of a line, as wide as the terminal of standard
    /// output at most.
    var text: String { text(fitting: TerminalWidth.ofOutput) }

    /// The rows in lines of at most `limit` cells, if possible; nil for any length.
    ///
    /// Columns are as many cells wide as their widest text. If a line would be too long, the widest columns are made
    /// narrower, and what does not fit is cut off.
    func text(fitting limit: Int?) -> String {
        let widths = widths(fitting: limit)
        return rows.map { row in
            var line = ""
            for (cell, width) in zip(row, widths) {
                let shown = cell.truncated(toCells: width)
                line += shown + String(repeating: " ", count: width - shown.cellCount + Self.gap)
            }
            while line.last == " " { line.removeLast() }
            return line
        }.joined(separator: "\n")
    }

    private static let gap = 2
    /// Narrower than this, nothing could be recognized.
    private static let narrowest = 8

    private func widths(fitting limit: Int?) -> [Int] {
        var widths = rows[0].indices.map { column in rows.map { $0[column].cellCount }.max() ?? 0 }
        guard let limit else { return widths }
        while widths.reduce(0, +) + Self.gap * (widths.count - 1) > limit {
            guard let widest = widths.indices.max(by: { widths[$0] < widths[$1] }), widths[widest] > Self.narrowest
            else { break }
            widths[widest] -= 1
        }
        return widths
    }
}

/// Untrusted text, safe to show on a terminal: characters that could move the cursor, break the line or change the
/// writing direction become a dot.
func printable(_ text: String) -> String {
    text.inOneLine()
}

/// Untrusted text of several lines, safe to show on a terminal: each line as by ``printable(_:)``.
func printableLines(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { printable(String($0)) }.joined(separator: "\n")
}
