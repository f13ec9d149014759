/// A `mimeapps.list`: which apps a person or a system wants for which MIME types.
///
/// (Association between MIME types and applications 1.0.1.) Lines that mean nothing are read over, as every desktop does.
package struct MediaTypeAppList: Hashable, Sendable {
    /// The ids of desktop files without `.desktop`, the preferred first, by MIME type.
    package private(set) var defaults: [String: [String]] = [:]
    /// Apps that open a type although their desktop files do not say so.
    package private(set) var added: [String: [String]] = [:]
    /// Apps that are not to open a type although their desktop files say that they do.
    package private(set) var removed: [String: [String]] = [:]

    /// A list that says nothing.
    package init() {}

    /// Reads the text of a file.
    package init(_ text: String) {
        var group = ""
        for line in text.split(whereSeparator: \.isNewline) where line.first != "#" {
            if line.first == "[", line.last == "]" {
                group = String(line.dropFirst().dropLast())
                continue
            }
            let parts = line.split(separator: "=", maxSplits: 1)
            guard parts.count == 2 else { continue }
            let ids = parts[1].split(separator: ";").map(Self.id).filter { !$0.isEmpty }
            add(ids, to: String(parts[0].filter { !$0.isWhitespace }), in: group)
        }
    }

    private mutating func add(_ ids: [String], to type: String, in group: String) {
        switch group {
        case "Default Applications": defaults[type, default: []] += ids
        case "Added Associations": added[type, default: []] += ids
        case "Removed Associations": removed[type, default: []] += ids
        default: break
        }
    }

    private static func id(_ text: Substring) -> String {
        let name = String(text.filter { !$0.isWhitespace })
        return name.hasSuffix(".desktop") ? String(name.dropLast(".desktop".count)) : name
    }
}
