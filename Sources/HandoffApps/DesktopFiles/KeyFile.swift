/// A file of groups of keys with values, such as a desktop file or a `mimeapps.list`, as desktops read those of others.
///
/// The rules are those of GLib's key files, which decide what is installed for most of the user's programs: of keys that
/// occur twice the last counts, groups of one name are one, and a line that is neither a group, nor `key=value`, nor a
/// comment makes the whole file worth nothing.
struct KeyFile: Hashable, Sendable {
    /// The name of the first group.
    let firstGroup: String
    private let values: [String: [String: String]]

    /// Parses the text of a file; nil if a line of it is invalid, or if it has no group.
    init?(_ text: String) {
        var (first, current): (String?, String?)
        var values: [String: [String: String]] = [:]
        for line in text.unicodeScalars.split(separator: "\n") {
            let line = Self.withoutSpaceBefore(line.last == "\r" ? line.dropLast() : line)
            guard let start = line.first, start != "#" else { continue }
            if start == "[" {
                guard let name = Self.group(line) else { return nil }
                current = name
                first = first ?? name
                continue
            }
            guard let current, let (key, value) = Self.pair(line) else { return nil }
            // Other encodings than UTF-8 are those of the last century.
            guard key != "Encoding" || current != first || value.lowercased() == "utf-8" else { return nil }
            values[current, default: [:]][key] = value
        }
        guard let first else { return nil }
        firstGroup = first
        self.values = values
    }

    /// The keys of a group with their values as they are in the file; empty if there is no such group.
    func group(_ name: String) -> [String: String] { values[name] ?? [:] }

    /// The elements of a value that is a list, which are separated by semicolons; nil if it has an unknown escape sequence or
    /// is not UTF-8.
    static func list(_ value: String) -> [String]? {
        guard !value.unicodeScalars.contains("\u{FFFD}") else { return nil }
        var (elements, element) = ([String](), String.UnicodeScalarView())
        var scalars = value.unicodeScalars.makeIterator()
        while let scalar = scalars.next() {
            switch scalar {
            case ";":
                elements.append(String(element))
                element = String.UnicodeScalarView()
            case "\\":
                guard let escaped = scalars.next(), let meant = escapes[escaped] ?? (escaped == ";" ? ";" : nil) else {
                    return nil
                }
                element.append(meant)
            default: element.append(scalar)
            }
        }
        return element.isEmpty ? elements : elements + [String(element)]
    }

    /// A value that is one text, in which an unknown escape sequence stays as it is; nil if it is not UTF-8.
    static func text(_ value: String) -> String? {
        guard !value.unicodeScalars.contains("\u{FFFD}") else { return nil }
        var text = String.UnicodeScalarView()
        var scalars = value.unicodeScalars.makeIterator()
        while let scalar = scalars.next() {
            guard scalar == "\\" else {
                text.append(scalar)
                continue
            }
            guard let escaped = scalars.next() else { break }
            if let meant = escapes[escaped] { text.append(meant) } else { text.append(contentsOf: ["\\", escaped]) }
        }
        return String(text)
    }

    private static let escapes: [Unicode.Scalar: Unicode.Scalar] = [
        "s": " ", "n": "\n", "t": "\t", "r": "\r", "\\": "\\",
    ]

    private static func group(_ line: Substring.UnicodeScalarView) -> String? {
        guard let end = line.firstIndex(of: "]") else { return nil }
        guard line[line.index(after: end)...].allSatisfy({ $0 == " " || $0 == "\t" }) else { return nil }
        let name = line[line.index(after: line.startIndex)..<end]
        guard !name.isEmpty, !name.contains("["), !name.contains(where: { $0.properties.generalCategory == .control })
        else { return nil }
        return String(name)
    }

    private static func pair(_ line: Substring.UnicodeScalarView) -> (key: String, value: String)? {
        guard let equals = line.firstIndex(of: "="), equals != line.startIndex else { return nil }
        var key = line[..<equals]
        while let last = key.last, isSpace(last) { key.removeLast() }
        guard isKey(key) else { return nil }
        return (String(key), String(withoutSpaceBefore(line[line.index(after: equals)...])))
    }

    /// Whether it is a name, or a name with a locale in brackets.
    private static func isKey(_ key: Substring.UnicodeScalarView) -> Bool {
        let name = key.prefix { $0 != "[" && $0 != "]" }
        guard !name.isEmpty, name.last != " " else { return false }
        let locale = key[name.endIndex...]
        guard !locale.isEmpty else { return true }
        return locale.count > 1 && locale.first == "[" && locale.last == "]"
            && locale.dropFirst().dropLast().allSatisfy {
                $0.properties.isAlphabetic || ("0"..."9").contains($0) || ["-", "_", ".", "@"].contains($0)
            }
    }

    private static func withoutSpaceBefore(_ text: Substring.UnicodeScalarView) -> Substring.UnicodeScalarView {
        text.drop(while: isSpace)
    }

    private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case " ", "\t", "\r", "\u{B}", "\u{C}": true
        default: false
        }
    }
}
