package import HandoffModel

/// A command line of a desktop file (`Exec`), with its field codes where they are.
///
/// It is divided into words as a shell does, which is what desktops do and more than the Desktop Entry Specification asks
/// for: `'…'` and `\` quote also. What a field code stands for never ends a word, whatever it contains.
package struct ExecLine: Hashable, Sendable {
    /// The error in an invalid command line.
    package struct SyntaxError: Error, Hashable, Sendable, CustomStringConvertible {
        package let description: String
    }

    /// What `%c`, `%i` and `%k` stand for; nil for nothing.
    package struct Labels: Hashable, Sendable {
        /// The name of the app.
        package var name: String?
        /// The name or path of its icon.
        package var icon: String?
        /// The path of the desktop file.
        package var file: String?

        package init(name: String? = nil, icon: String? = nil, file: String? = nil) {
            (self.name, self.icon, self.file) = (name, icon, file)
        }
    }

    private let words: [ExecWord]
    private let labels: Labels

    /// Parses a command line.
    ///
    /// - Throws: ``SyntaxError`` for an unclosed quote, for a line without a program, and for a field code in the
    ///   program.
    package init(_ text: String, labels: Labels = Labels()) throws(SyntaxError) {
        let words = try ExecWord.all(in: text)
        guard let program = words.first, !program.text.isEmpty || program.hasCodes else {
            throw SyntaxError(description: "the program is missing; name one first.")
        }
        guard !program.hasCodes else {
            throw SyntaxError(description: "the program contains a field code; remove it.")
        }
        (self.words, self.labels) = (words, labels)
    }

    /// The name or path of the program.
    package var program: String { words[0].text }

    /// Whether the command line has a field code for the URL of a web page.
    package var takesURL: Bool { words.contains { $0.has("u") || $0.has("U") } }

    /// Whether the command line has a field code for a document, as URL or path.
    package var takesDocument: Bool { words.contains { word in "uUfFdDnN".unicodeScalars.contains(where: word.has) } }

    /// The program and its arguments, with an address for the first `%u` or `%U`.
    ///
    /// - Parameter url: the address of a web page; nil for none.
    package func arguments(url: String? = nil) -> [String] {
        var target = url.map(Target.page)
        return expanded(&target)
    }

    /// The program and its arguments to open a document; without a field code for it, the path is appended, as desktops
    /// do.
    ///
    /// Of several codes for it, the first gets it: `%u` and `%U` its path also, as desktops do for a file of this computer.
    /// Nil when the program takes only a path, and the path is not valid UTF-8: repaired, it would name another file.
    ///
    /// - Parameter asURL: whether the program wants the address of the document for `%u`, and not its path.
    package func arguments(opening document: FileURL, asURL: Bool = false) -> [String]? {
        let path = String(validating: document.path, as: UTF8.self)
        guard path != nil || takesURL else { return nil }
        var target: Target? = .document(path: path, url: asURL || path == nil ? document.description : nil)
        let arguments = expanded(&target)
        guard target != nil else { return arguments }
        return path.map { arguments + [$0] }
    }

    /// What the command line is to open.
    private enum Target {
        case page(String)
        /// A document: its path, unless it is not UTF-8, and its address, if `%u` is to stand for that.
        case document(path: String?, url: String?)

        /// What a field code makes of it; nil for a code that is not for it.
        func value(for code: Unicode.Scalar) -> String? {
            switch (self, code) {
            case (.page(let url), "u"), (.page(let url), "U"): url
            case (.page, _): nil
            case (.document(let path, let url), "u"), (.document(let path, let url), "U"): url ?? path
            case (.document(let path, _), "f"), (.document(let path, _), "F"): path
            case (.document(let path, _), "d"), (.document(let path, _), "D"): path.map(Self.directory)
            case (.document(let path, _), "n"), (.document(let path, _), "N"): path.map(Self.name)
            case (.document, _): nil
            }
        }

        private static func directory(_ path: String) -> String {
            let end = path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? path.startIndex
            return end == path.startIndex ? "/" : String(path[..<end])
        }

        private static func name(_ path: String) -> String {
            path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[path.utf8.index(after: $0)...]) } ?? path
        }
    }

    /// The words with all field codes replaced; the target becomes nil when one of them has taken it.
    private func expanded(_ target: inout Target?) -> [String] {
        var arguments: [String] = []
        for word in words {
            arguments += word.arguments { code in
                switch code {
                case "i": return labels.icon.map { ["--icon", $0] } ?? []
                case "c": return labels.name.map { [$0] } ?? []
                case "k": return labels.file.map { [$0] } ?? []
                default:
                    if let value = target?.value(for: code) {
                        target = nil
                        return [value]
                    }
                    return []
                }
            }
        }
        return arguments
    }
}
