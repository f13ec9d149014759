/// Rows of text in aligned columns.
struct Table {
    private var rows: [[String]]

    init(_ header: String...) {
        rows = [header]
    }

    mutating func append(_ cells: String...) {
        rows.append(cells)
    }

    /// The rows, two spaces between columns, none at the end of a line.
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

/// Text from elsewhere, safe to show on a terminal: what could move its cursor, break the line or turn the direction in
/// which the rest is read becomes a dot.
func printable(_ text: String) -> String {
    String(text.map { $0.unicodeScalars.allSatisfy(isPrintable) ? $0 : "·" })
}

private func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: false
    default: !scalar.properties.isBidiControl
    }
}
