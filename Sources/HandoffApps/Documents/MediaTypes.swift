/// The MIME types of file names, from the desktop's shared database.
///
/// The database consists of the `globs2` files of the Shared MIME-info Database specification. Only names are matched,
/// not contents; a document whose name matches no pattern has no type.
package struct MediaTypes: Sendable {
    private struct Pattern {
        let weight: Int
        let type: String
        let text: String
        let isCaseSensitive: Bool
    }

    private var patterns: [Pattern] = []
    /// Types whose patterns in files of lower precedence are ignored.
    private var suppressed: Set<String> = []

    /// Larger databases are not read; that of a full desktop has 50 KB.
    private static let maximumFileBytes = 4 * 1024 * 1024

    /// Reads the databases next to these directories of desktop files; a missing one counts as empty.
    package init(beside directories: AppDirectories) {
        for directory in directories.paths where directory.hasSuffix("/applications") {
            let file = directory.dropLast("/applications".count) + "/mime/globs2"
            if let text = smallFile(at: String(file), upTo: Self.maximumFileBytes) { add(text) }
        }
    }

    /// Parses the texts of `globs2` files, which are in order of precedence.
    package init(_ texts: String...) {
        for text in texts { add(text) }
    }

    /// The MIME type of a document of that name; nil if no pattern matches.
    ///
    /// Of the matching patterns, the one of the greatest weight wins, and among these the longest.
    ///
    /// - Parameter name: the last component of a path.
    package func type(ofFileNamed name: String) -> String? {
        // The case-sensitive match takes precedence: main.C and main.c are different languages (Shared MIME-info
        // Database, "The glob files").
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
        // Nearly all patterns are a star and a suffix.
        guard special == pattern.startIndex, pattern.hasPrefix("*") else { return NamePattern(pattern).matches(name) }
        return name.utf8.count >= pattern.utf8.count - 1 && name.hasSuffix(pattern.dropFirst())
    }
}
