/// The directories in which desktop files are searched.
package struct AppDirectories: Hashable, Sendable {
    /// Directories named `applications`, in order of precedence; they need not exist.
    package let paths: [String]

    package init(paths: [String]) {
        self.paths = paths
    }

    /// The directories that the environment defines (XDG Base Directory Specification), and those to which Flatpak and
    /// Snap export desktop files.
    ///
    /// What Flatpak installs for one user is below that user's data (flatpak(1)).
    package init(environment: [String: String]) {
        var bases: [String] = []
        let home = Self.absolute(environment["HOME"]).map { $0 + "/.local/share" }
        if let data = Self.absolute(environment["XDG_DATA_HOME"]) ?? home {
            bases += [data, (data.hasSuffix("/") ? String(data.dropLast()) : data) + "/flatpak/exports/share"]
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
    /// desktops ignore it.
    package func entry(_ id: String) -> DesktopEntry? {
        let files = paths.lazy.map { DesktopFile(path: "\($0)/\(id).desktop", id: id) }
        return files.compactMap(\.text).first.flatMap { DesktopEntry(asDesktopsRead: $0) }
    }

    private static func absolute(_ path: String?) -> String? {
        // Relative paths have to be ignored (XDG Base Directory Specification).
        path.flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
}

extension AppDirectories {
    /// The paths of a file of the shared MIME database, which is next to the directories of desktop files.
    ///
    /// - Parameter name: its name in the directory `mime`.
    func mediaTypeFiles(_ name: String) -> [String] {
        paths.filter { $0.hasSuffix("/applications") }.map { $0.dropLast("/applications".count) + "/mime/" + name }
    }
}
