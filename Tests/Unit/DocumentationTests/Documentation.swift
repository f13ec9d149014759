import Foundation

/// The files in `Docs`, wherever this package was checked out.
enum Documentation {
    static let directory = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Docs")

    /// The text of a file, by its path below `Docs`.
    static func text(_ path: String) throws -> String {
        try String(contentsOf: directory.appending(path: path), encoding: .utf8)
    }
}

/// A page of Markdown, as far as the tests need it.
struct Page {
    let lines: [String]

    init(_ path: String) throws {
        lines = try Documentation.text(path).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    /// The first word of each heading of a level.
    func headings(_ level: Int) -> [String] {
        let mark = String(repeating: "#", count: level) + " "
        return lines.filter { $0.hasPrefix(mark) }.map { line in
            String(line.dropFirst(mark.count).prefix { $0 != "(" && $0 != " " })
        }
    }

    /// The lines below a heading, up to the next one of the same or a higher level.
    func section(_ heading: String) -> [String] {
        guard let start = lines.firstIndex(of: heading) else { return [] }
        let level = heading.prefix { $0 == "#" }.count
        var isCode = false
        return Array(
            lines[(start + 1)...].prefix { line in
                if line.hasPrefix("```") { isCode.toggle() }
                return isCode || !line.hasPrefix("#") || line.prefix { $0 == "#" }.count > level
            }
        )
    }

    /// The contents of the fenced blocks of a language in a section.
    func blocks(_ language: String, in heading: String) -> [String] {
        var blocks: [String] = []
        var block: [String]?
        for line in section(heading) {
            if block == nil, line == "```" + language {
                block = []
            } else if line == "```", let finished = block {
                blocks.append(finished.joined(separator: "\n"))
                block = nil
            } else {
                block?.append(line)
            }
        }
        return blocks
    }

    /// The rows of all tables, as cells.
    var rows: [[String]] {
        lines.filter { $0.hasPrefix("|") }.map { line in
            line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }
}
