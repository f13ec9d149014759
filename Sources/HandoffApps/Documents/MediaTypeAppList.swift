/// A `mimeapps.list`, or a list of the same form: the apps that the user or the system prefers, by MIME type.
///
/// (Association between MIME types and applications 1.0.1.) A list with an invalid line is empty, as for other desktops.
package struct MediaTypeAppList: Hashable, Sendable {
    /// The ids of desktop files without `.desktop`, in order of preference, by MIME type.
    package private(set) var defaults: [String: [String]] = [:]
    /// Apps that open a type although their desktop files do not declare it.
    package private(set) var added: [String: [String]] = [:]
    /// Apps that must not open a type although their desktop files declare it.
    package private(set) var removed: [String: [String]] = [:]
    /// In a `mimeinfo.cache`, the apps whose desktop files declare the type.
    private(set) var cached: [String: [String]] = [:]

    /// Creates an empty list.
    package init() {}

    /// Parses the text of a file.
    ///
    /// - Parameters:
    ///   - text: the contents of the file.
    ///   - aliases: the types that have several names.
    package init(_ text: String, aliases: MediaTypeAliases = MediaTypeAliases()) {
        guard let file = KeyFile(text) else { return }
        defaults = Self.apps(file.group("Default Applications"), aliases)
        added = Self.apps(file.group("Added Associations"), aliases)
        removed = Self.apps(file.group("Removed Associations"), aliases)
        cached = Self.apps(file.group("MIME Cache"), aliases)
    }

    private static func apps(_ group: [String: String], _ aliases: MediaTypeAliases) -> [String: [String]] {
        var apps: [String: [String]] = [:]
        // A type that has two names here gets the apps of both, in an order that does not change.
        for (type, value) in group.sorted(by: { $0.key < $1.key }) {
            let ids = (KeyFile.list(value) ?? []).filter { $0.hasSuffix(".desktop") }
            apps[aliases.name(of: type), default: []] += ids.map { String($0.dropLast(".desktop".count)) }
        }
        return apps
    }
}
