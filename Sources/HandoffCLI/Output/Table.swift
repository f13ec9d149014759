import HandoffModel

/// Rows of text in aligned columns.
struct Table {
    private var rows: [[String]]

    init(_ header: String...) {
        rows = [header]
    }

    mutating func append(_ cells: String...) {
        rows.append(cells)
    }

    /// The rows, with two spaces between columns and none at the end of a line.
    var text: String {
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            var line = ""
            for (cell, width) in zip(row, widths) {
                line += cell + String(repeating: " ", count: width - cell.count + 2)
            }
            while line.last == " " { line.removeLast() }
            return line
        }.joined(separator: "\n")
    }
}

/// Untrusted text, safe to show on a terminal: characters that could move the cursor, break the line or change the
/// writing direction become a dot.
func printable(_ text: String) -> String {
    String(text.map { $0.unicodeScalars.allSatisfy(\.isHarmlessInLine) ? $0 : "·" })
}

/// Untrusted text of several lines, safe to show on a terminal: each line as by ``printable(_:)``.
func printableLines(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { printable(String($0)) }.joined(separator: "\n")
}
