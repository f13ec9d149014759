/// A file of settings: lines `key = value` in sections `[name]`; lines that begin with `#` or `;` are comments.
struct INIFile: Sendable {
    /// One line of a section.
    struct Entry: Hashable, Sendable {
        let section: String
        let key: String
        /// The text behind the sign, without the space around it; empty for none.
        let value: String
        /// The number of the line, from 1.
        let line: Int
    }

    /// A line that cannot be read, and why.
    struct SyntaxError: Error, Hashable, Sendable {
        let line: Int
        let message: String
    }

    /// All entries, in the order of the file.
    let entries: [Entry]

    /// Reads a file.
    ///
    /// - Throws: ``SyntaxError`` for the first line that is none of those above, that belongs to no section, or that repeats
    ///   a key of its section.
    init(_ text: String) throws(SyntaxError) {
        var entries: [Entry] = []
        var section: String?
        // Editors of other systems put a mark before a text; CR LF is one Character in Swift.
        let text = text.first == "\u{FEFF}" ? text.dropFirst() : text[...]
        for (index, text) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let line = Self.trimmed(text)
            guard let first = line.first, first != "#", first != ";" else { continue }
            if first == "[" {
                section = try Self.section(line, index + 1)
            } else {
                let entry = try Self.entry(line, in: section, index + 1)
                if let before = entries.first(where: { $0.section == entry.section && $0.key == entry.key }) {
                    let message = "\(entry.key): it is set in line \(before.line) already."
                    throw SyntaxError(line: index + 1, message: message)
                }
                entries.append(entry)
            }
        }
        self.entries = entries
    }

    /// Whether a text cannot be a value: what surrounds it, or breaks the line, is lost.
    static func isUnwritable(_ text: String) -> Bool {
        text != trimmed(text[...]) || text.contains(where: \.isNewline)
    }

    private static func section(_ line: Substring, _ number: Int) throws(SyntaxError) -> String {
        let name = trimmed(line.dropFirst().dropLast())
        guard line.last == "]", !name.isEmpty else {
            throw SyntaxError(line: number, message: "a section is written [name].")
        }
        return String(name)
    }

    private static func entry(_ line: Substring, in section: String?, _ number: Int) throws(SyntaxError) -> Entry {
        guard let sign = line.firstIndex(of: "="), case let key = trimmed(line[..<sign]), !key.isEmpty else {
            throw SyntaxError(line: number, message: "a setting is written key = value.")
        }
        guard let section else {
            throw SyntaxError(line: number, message: "\(key): it stands before the first section, such as [handoffd].")
        }
        let value = trimmed(line[line.index(after: sign)...])
        return Entry(section: section, key: String(key), value: String(value), line: number)
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop(while: \.isWhitespace)
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }
}
