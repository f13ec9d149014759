/// The MIME types of documents, from the desktop's shared database, by their names and where these say nothing by their
/// contents.
///
/// Of the Shared MIME-info Database specification it follows what GLib makes of it, since apps are chosen by the types that
/// this finds: the content counts only where no name matches, or several do.
package struct MediaTypes: Sendable {
    private let names: [NameRules]
    private let contents: [ContentRules]
    private let hierarchy: MediaTypeHierarchy

    /// Larger databases are not read; that of a full desktop has 50 KB.
    private static let maximumFileBytes = 4 * 1024 * 1024
    /// From this priority on, content counts more than ambiguous names (GLib, `g_content_type_guess`).
    private static let decisivePriority = 80

    /// Reads the databases next to these directories of desktop files; a missing one counts as empty.
    package init(beside directories: AppDirectories) {
        var rules = NameRules.Reader()
        names = directories.mediaTypeFiles("globs2").compactMap { file in
            smallFile(at: file, upTo: Self.maximumFileBytes).map { rules.read($0) }
        }
        contents = directories.mediaTypeFiles("magic").compactMap { file in
            smallFileBytes(at: file, upTo: Self.maximumFileBytes).map { ContentRules($0) }
        }
        hierarchy = MediaTypeHierarchy(beside: directories)
    }

    /// Parses the texts of `globs2` files, which are in order of precedence.
    ///
    /// - Parameters:
    ///   - texts: the texts.
    ///   - magic: the content of a `magic` file.
    ///   - hierarchy: the supertypes.
    package init(
        _ texts: String...,
        magic: [UInt8] = [],
        hierarchy: MediaTypeHierarchy = MediaTypeHierarchy()
    ) {
        var rules = NameRules.Reader()
        names = texts.map { rules.read($0) }
        contents = [ContentRules(magic)]
        self.hierarchy = hierarchy
    }

    /// The number of bytes that decide whether a document is plain text (Shared MIME-info Database specification,
    /// "Recommended checking order").
    private static let textBytes = 128

    /// The number of bytes at the beginning of a document that can tell its type.
    package var contentBytes: Int {
        min(max(contents.map(\.extent).max() ?? 0, Self.textBytes), ContentRules.maximumExtent)
    }

    /// The MIME type of a document.
    ///
    /// - Parameters:
    ///   - name: the last component of its path.
    ///   - content: returns its first ``contentBytes``, fewer if it has no more; nil if it cannot be read.
    package func type(ofFileNamed name: String, content: () -> [UInt8]?) -> String {
        let named = types(forName: name)
        if named.count == 1 { return named[0] }
        let content = content()
        let found = content.flatMap(type(of:))
        guard let first = named.first else { return found?.type ?? Self.unknown }
        guard let found else { return first }
        if found.priority >= Self.decisivePriority { return found.type }
        return named.first { isKind($0, of: found.type) } ?? first
    }

    /// The type of a document of which nothing is known.
    package static let unknown = "application/octet-stream"

    /// The MIME type of a document, whose content is read where its name does not tell the type.
    ///
    /// - Parameters:
    ///   - name: the last component of its path.
    ///   - path: the bytes of its path.
    package func type(ofFileNamed name: String, at path: [UInt8]) -> String {
        type(ofFileNamed: name) { fileStart(at: path, bytes: contentBytes) }
    }

    /// The types that a name can mean: those of the rules that fit best.
    package func types(forName name: String) -> [String] {
        let lowered = name.lowercasedASCII
        for rules in names {
            if let type = rules.literal(lowered, cases: false) { return [type] }
        }
        for rules in names {
            if let type = rules.literal(name, cases: true) { return [type] }
        }
        for find in [NameRules.suffixes, NameRules.matches] {
            var found = names.lazy.map { find($0)(lowered, false) }.first { !$0.isEmpty } ?? []
            if found.count < 2 { found += names.lazy.map { find($0)(name, true) }.first { !$0.isEmpty } ?? [] }
            guard !found.isEmpty else { continue }
            // Sorting keeps the order of what is equal.
            let sorted = found.enumerated().sorted { ($1.element.weight, $0.offset) < ($0.element.weight, $1.offset) }
            return sorted.map(\.element.type).reduce(into: []) { types, type in
                if !types.contains(type) { types.append(type) }
            }
        }
        return []
    }

    private func type(of content: [UInt8]) -> (type: String, priority: Int)? {
        var best: (type: String, priority: Int)?
        for rules in contents {
            if let found = rules.type(of: content), found.priority > best?.priority ?? 0 { best = found }
        }
        // What is no desktop file by its name must not become one by what it says.
        if let best, best.type != "application/x-desktop" { return best }
        let isText = content.prefix(Self.textBytes).allSatisfy(Self.isInText)
        return best != nil || isText ? ("text/plain", best?.priority ?? 0) : nil
    }

    /// Whether plain text has that byte: any but a control character, except white space and the backspace.
    private static func isInText(_ byte: UInt8) -> Bool { byte >= 0x20 || (0x08...0x0D).contains(byte) }

    /// Whether a type is that one or a kind of it.
    private func isKind(_ type: String, of base: String) -> Bool {
        hierarchy.of(type).contains(hierarchy.of(base)[0])
    }
}

extension String {
    /// The text with `A` to `Z` as small letters, and no other changes: names of files are bytes.
    var lowercasedASCII: String {
        String(
            decoding: utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 },
            as: UTF8.self
        )
    }
}
