/// The supertypes of MIME types, from the desktop's shared database.
///
/// An app for plain text also opens a Markdown file. (Shared MIME-info Database specification, "Subclassing".)
package struct MediaTypeHierarchy: Sendable {
    private var parents: [String: [String]] = [:]
    private let aliases: MediaTypeAliases

    /// Larger databases are not read; that of a full desktop has 30 KB.
    private static let maximumFileBytes = 1024 * 1024
    /// The maximum number of types in a hierarchy, which bounds what a faulty database can cause.
    private static let longest = 32

    /// Reads the databases next to these directories of desktop files; a missing one counts as empty.
    package init(beside directories: AppDirectories) {
        aliases = MediaTypeAliases(beside: directories)
        for file in directories.mediaTypeFiles("subclasses") {
            if let text = smallFile(at: file, upTo: Self.maximumFileBytes) { add(text) }
        }
    }

    /// Parses the texts of `subclasses` files.
    package init(_ texts: String..., aliases: MediaTypeAliases = MediaTypeAliases()) {
        self.aliases = aliases
        for text in texts { add(text) }
    }

    /// The type and its supertypes, the nearest first, without duplicates, each by the name under which it is known.
    package func of(_ type: String) -> [String] {
        var hierarchy = [aliases.name(of: type)]
        var index = 0
        while index < hierarchy.count, hierarchy.count < Self.longest {
            for parent in parents(of: hierarchy[index]) where !hierarchy.contains(parent) { hierarchy.append(parent) }
            index += 1
        }
        return hierarchy
    }

    private func parents(of type: String) -> [String] {
        let known = (parents[type] ?? []).map(aliases.name)
        return type.hasPrefix("text/") ? known + ["text/plain"] : known
    }

    private mutating func add(_ text: String) {
        for line in text.split(separator: "\n") {
            let types = line.split(separator: " ")
            guard types.count == 2 else { continue }
            parents[aliases.name(of: String(types[0])), default: []].append(String(types[1]))
        }
    }
}
