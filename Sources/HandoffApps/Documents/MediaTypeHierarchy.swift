/// Of which other MIME types one is a special kind, as the desktop's shared database says.
///
/// What opens plain text opens a Markdown file, too. (Shared MIME-info Database specification, "Subclassing".)
package struct MediaTypeHierarchy: Sendable {
    private var parents: [String: [String]] = [:]

    /// A larger database is not read; that of a whole desktop has 30 KB.
    private static let maximumFileBytes = 1024 * 1024
    /// How many types a lineage has at most, whatever a database says.
    private static let longest = 32

    /// Reads the databases beside these directories of desktop files; one that is not there is empty.
    package init(beside directories: AppDirectories) {
        for directory in directories.paths where directory.hasSuffix("/applications") {
            let file = directory.dropLast("/applications".count) + "/mime/subclasses"
            if let text = smallFile(at: String(file), upTo: Self.maximumFileBytes) { add(text) }
        }
    }

    /// Reads the texts of `subclasses` files.
    package init(_ texts: String...) {
        for text in texts { add(text) }
    }

    /// The type, then what it is a special kind of, the nearest first; each once.
    package func of(_ type: String) -> [String] {
        var hierarchy = [type]
        var index = 0
        while index < hierarchy.count, hierarchy.count < Self.longest {
            for parent in parents(of: hierarchy[index]) where !hierarchy.contains(parent) { hierarchy.append(parent) }
            index += 1
        }
        return hierarchy
    }

    private func parents(of type: String) -> [String] {
        let known = parents[type] ?? []
        return type.hasPrefix("text/") ? known + ["text/plain"] : known
    }

    private mutating func add(_ text: String) {
        for line in text.split(separator: "\n") {
            let types = line.split(separator: " ")
            guard types.count == 2 else { continue }
            parents[String(types[0]), default: []].append(String(types[1]))
        }
    }
}
