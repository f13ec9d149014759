/// The MIME types that have several names, from the desktop's shared database.
///
/// (Shared MIME-info Database specification, "The aliases file".)
package struct MediaTypeAliases: Sendable {
    private var names: [String: String] = [:]

    /// Larger databases are not read; that of a full desktop has 20 KB.
    private static let maximumFileBytes = 1024 * 1024

    /// Reads the databases next to these directories of desktop files; a missing one counts as empty.
    package init(beside directories: AppDirectories) {
        for file in directories.mediaTypeFiles("aliases") {
            if let text = smallFile(at: file, upTo: Self.maximumFileBytes) { add(text) }
        }
    }

    /// Parses the texts of `aliases` files, of which the first that has a name counts.
    package init(_ texts: String...) {
        for text in texts { add(text) }
    }

    /// The name under which a type is known; its own unless that is an alias.
    package func name(of type: String) -> String { names[type] ?? type }

    private mutating func add(_ text: String) {
        for line in text.split(separator: "\n") {
            let types = line.split(separator: " ")
            guard types.count == 2, names[String(types[0])] == nil else { continue }
            names[String(types[0])] = String(types[1])
        }
    }
}
