/// The directories in which desktop files are searched.
package struct AppDirectories: Hashable, Sendable {
    /// Directories named `applications`, in order of precedence; they need not exist.
    package let paths: [String]

    package init(paths: [String]) {
        self.paths = paths
    }

    /// The directories that the environment defines (XDG Base Directory Specification), and those to which Flatpak and
    /// Snap export desktop files.
    package init(environment: [String: String]) {
        var bases: [String] = []
        if let home = environment["HOME"], home.hasPrefix("/") {
            bases.append(Self.absolute(environment["XDG_DATA_HOME"]) ?? home + "/.local/share")
            bases.append(home + "/.local/share/flatpak/exports/share")
        } else if let data = Self.absolute(environment["XDG_DATA_HOME"]) {
            bases.append(data)
        }
        let listed = environment["XDG_DATA_DIRS"] ?? ""
        let shared = listed.isEmpty ? "/usr/local/share/:/usr/share/" : listed
        bases += shared.split(separator: ":").map(String.init).filter { $0.hasPrefix("/") }
        bases += ["/var/lib/flatpak/exports/share", "/var/lib/snapd/desktop"]
        paths = bases.reduce(into: []) { paths, base in
            let path = (base.hasSuffix("/") ? String(base.dropLast()) : base) + "/applications"
            if !paths.contains(path) { paths.append(path) }
        }
    }

    /// Returns the desktop entry with that id, from the first directory that has a file for it; nil if there is none, or
    /// it is invalid.
    package func entry(_ id: String) -> DesktopEntry? {
        let files = paths.lazy.map { DesktopFile(path: "\($0)/\(id).desktop", id: id) }
        return files.compactMap(\.text).first.flatMap { try? DesktopEntry($0) }
    }

    private static func absolute(_ path: String?) -> String? {
        // Relative paths have to be ignored (XDG Base Directory Specification).
        path.flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
}
