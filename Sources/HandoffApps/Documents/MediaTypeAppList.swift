/// A `mimeapps.list`: the apps that the user or the system prefers, by MIME type.
///
/// (Association between MIME types and applications 1.0.1.) Invalid lines are ignored, as all desktops do.
package struct MediaTypeAppList: Hashable, Sendable {
    /// The ids of desktop files without `.desktop`, in order of preference, by MIME type.
    package private(set) var defaults: [String: [String]] = [:]
    /// Apps that open a type although their desktop files do not declare it.
    package private(set) var added: [String: [String]] = [:]
    /// Apps that must not open a type although their desktop files declare it.
    package private(set) var removed: [String: [String]] = [:]

    /// Creates an empty list.
    package init() {}

    /// Parses the text of a file.
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
