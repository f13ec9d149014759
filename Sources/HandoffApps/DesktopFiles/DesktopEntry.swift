/// The group `[Desktop Entry]` of a desktop file (Desktop Entry Specification 1.5).
///
/// Other groups and comments are ignored. Values are stored as they are in the file; the typed accessors replace the escape
/// sequences.
package struct DesktopEntry: Hashable, Sendable {
    /// The error in a file that is not a valid desktop entry.
    package struct SyntaxError: Error, Hashable, Sendable, CustomStringConvertible {
        /// The number of the invalid line, from 1; 0 for the file as a whole.
        package let line: Int
        package let message: String

        package var description: String { line > 0 ? "line \(line): \(message)" : message }
    }

    private var values: [String: String] = [:]

    private static let group = "Desktop Entry"

    /// Reads the text of a file as desktops do, which forgive what makes no difference; nil if they ignore the file.
    package init?(asDesktopsRead text: String) {
        guard let file = KeyFile(text), file.firstGroup == Self.group else { return nil }
        values = file.group(Self.group)
    }

    /// Parses the text of a file that is to be valid for all desktops.
    ///
    /// - Throws: ``SyntaxError`` for the first line that is not a group, a comment, an empty line or `key=value`; for a
    ///   key that occurs twice, and for a file without the group or without keys in it.
    package init(_ text: String) throws(SyntaxError) {
        var current: String?
        // CR LF is one Character in Swift.
        let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
        for (index, line) in lines.enumerated() {
            guard let first = line.first, first != "#", !line.allSatisfy(\.isWhitespace) else { continue }
            if first == "[" {
                current = try Self.group(line, index + 1)
            } else {
                try take(line, of: current, index + 1)
            }
        }
        guard current != nil, !values.isEmpty else {
            throw SyntaxError(line: 0, message: "the group [\(Self.group)] is missing or empty.")
        }
    }

    private static func group(_ line: Substring, _ number: Int) throws(SyntaxError) -> String {
        guard line.last == "]", line.count > 2 else {
            throw SyntaxError(line: number, message: "invalid group header; write [Name].")
        }
        return String(line.dropFirst().dropLast())
    }

    private mutating func take(_ line: Substring, of group: String?, _ number: Int) throws(SyntaxError) {
        guard let equals = line.firstIndex(of: "="), let group else {
            throw SyntaxError(line: number, message: "expected a group header, key=value in a group, or a comment.")
        }
        let key = Self.trimmed(line[..<equals])
        guard group == Self.group, !key.hasSuffix("]") else { return }
        guard !key.isEmpty, key.utf8.allSatisfy(Self.isInKey) else {
            throw SyntaxError(line: number, message: "invalid key; use only ASCII letters, digits and -.")
        }
        let value = Self.trimmed(line[line.index(after: equals)...])
        guard values.updateValue(String(value), forKey: String(key)) == nil else {
            throw SyntaxError(line: number, message: "duplicate key \(key); remove one of them.")
        }
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }

    private static func isInKey(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}

extension DesktopEntry {
    /// A value of type string, with escape sequences replaced; nil if the key is absent or its value empty.
    package func string(_ key: String) -> String? {
        guard let value = values[key].flatMap(KeyFile.text), !value.isEmpty else { return nil }
        return value
    }

    /// A value of type localestring in the first of these languages that it has, else without a language.
    ///
    /// - Parameters:
    ///   - key: the name of the value, without a language.
    ///   - languages: locales, such as `de_AT` and `de`.
    package func string(_ key: String, in languages: [String]) -> String? {
        let localised = languages.lazy.map { "\(key)[\($0)]" }.first { values[$0] != nil }
        return string(localised ?? key)
    }

    /// A value of type string(s), whose elements are separated by semicolons; empty if the key is absent or invalid.
    package func strings(_ key: String) -> [String] {
        (values[key].flatMap(KeyFile.list) ?? []).filter { !$0.isEmpty }
    }

    /// A value of type boolean; nil if it is neither, and false if the key is absent.
    ///
    /// As desktops do, it takes `1` and `0` also, which were the values before version 1.0 of the specification.
    package func boolean(_ key: String) -> Bool? {
        guard let value = values[key] else { return false }
        switch Self.trimmed(value[...]) {
        case "true", "1": return true
        case "false", "0": return false
        default: return nil
        }
    }
}
