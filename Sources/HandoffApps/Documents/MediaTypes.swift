private import Glibc

/// Which MIME type a document has by its name, as the desktop's shared database says.
///
/// The database is the `globs2` files of the Shared MIME-info Database specification. A document whose name says nothing
/// has no type here; contents are not looked at.
package struct MediaTypes: Sendable {
    private struct Pattern {
        let weight: Int
        let type: String
        let text: String
        let isCaseSensitive: Bool
    }

    private var patterns: [Pattern] = []
    /// Types of which the files that count less have nothing to say.
    private var suppressed: Set<String> = []

    /// A larger database is not read; that of a whole desktop has 50 KB.
    private static let maximumFileBytes = 4 * 1024 * 1024

    /// Reads the databases beside these directories of desktop files; one that is not there is empty.
    package init(beside directories: AppDirectories) {
        for directory in directories.paths where directory.hasSuffix("/applications") {
            let file = directory.dropLast("/applications".count) + "/mime/globs2"
            if let text = smallFile(at: String(file), upTo: Self.maximumFileBytes) { add(text) }
        }
    }

    /// Reads the texts of `globs2` files, those that count first at the beginning.
    package init(_ texts: String...) {
        for text in texts { add(text) }
    }

    /// The MIME type of a document of that name.
    ///
    /// Of the patterns that match, those of the greatest weight count, of these the longest.
    ///
    /// - Parameter name: the last component of a path.
    package func type(ofFileNamed name: String) -> String? {
        // Case counts first: main.C is another language than main.c (Shared MIME-info Database, "The glob files").
        best { Self.matches($0.text, name) } ?? best { !$0.isCaseSensitive && Self.matches($0.text, name.lowercased()) }
    }

    private func best(_ matches: (Pattern) -> Bool) -> String? {
        patterns.filter(matches).max { ($0.weight, $0.text.utf8.count) < ($1.weight, $1.text.utf8.count) }?.type
    }

    private mutating func add(_ text: String) {
        var newlySuppressed: Set<String> = []
        defer { suppressed.formUnion(newlySuppressed) }
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            let fields = line.split(separator: ":", maxSplits: 3, omittingEmptySubsequences: false)
            guard fields.count >= 3, let weight = Int(fields[0]), !fields[2].isEmpty else { continue }
            let type = String(fields[1])
            if fields[2] == "__NOGLOBS__" {
                newlySuppressed.insert(type)
                continue
            }
            guard !suppressed.contains(type) else { continue }
            patterns.append(
                Pattern(
                    weight: weight,
                    type: type,
                    text: String(fields[2]),
                    isCaseSensitive: fields.count > 3 && fields[3].split(separator: ",").contains("cs")
                )
            )
        }
    }

    private static func matches(_ pattern: String, _ name: String) -> Bool {
        let special = pattern.utf8.lastIndex {
            $0 == UInt8(ascii: "*") || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "[")
        }
        guard let special else { return pattern == name }
        // Nearly all patterns are a star and an ending.
        guard special == pattern.startIndex, pattern.hasPrefix("*") else { return fnmatch(pattern, name, 0) == 0 }
        return name.utf8.count >= pattern.utf8.count - 1 && name.hasSuffix(pattern.dropFirst())
    }
}
