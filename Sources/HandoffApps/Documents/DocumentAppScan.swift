/// Finds the default app for a document; reads all files at each query.
package struct DocumentAppScan: Sendable {
    /// The result of a query.
    package enum Choice: Hashable, Sendable {
        /// The MIME type of the document is unknown.
        case unknownType
        /// No app opens that MIME type.
        case noApp(String)
        case app(DocumentApp)
    }

    private let directories: AppDirectories
    private let configuration: [String]
    /// The names of the running desktops, such as `gnome`, whose own lists take precedence.
    private let desktops: [String]
    private let programs: SearchPath

    /// Larger lists are not read; a full one has a few KB.
    private static let maximumFileBytes = 1024 * 1024

    /// - Parameters:
    ///   - directories: the directories of desktop files.
    ///   - environment: the variables `HOME`, `PATH`, `XDG_CONFIG_DIRS`, `XDG_CONFIG_HOME`, `XDG_CURRENT_DESKTOP`.
    package init(directories: AppDirectories, environment: [String: String]) {
        self.directories = directories
        programs = SearchPath(environment["PATH"] ?? "")
        let names = (environment["XDG_CURRENT_DESKTOP"] ?? "").split(separator: ":").map { $0.lowercased() }
        desktops = names.filter { !$0.contains("/") }
        let home = environment["HOME"].map { $0 + "/.config" }
        let own = environment["XDG_CONFIG_HOME"].flatMap { $0.isEmpty ? nil : $0 } ?? home
        let listed = environment["XDG_CONFIG_DIRS"] ?? ""
        let shared = (listed.isEmpty ? "/etc/xdg" : listed).split(separator: ":").map(String.init)
        // Relative paths have to be ignored (XDG Base Directory Specification).
        configuration = ((own.map { [$0] } ?? []) + shared).filter { $0.hasPrefix("/") }
    }

    /// Finds the default app for a document of that name.
    ///
    /// - Parameter name: the last component of its path.
    package func choice(forFileNamed name: String) -> Choice {
        guard let type = MediaTypes(beside: directories).type(ofFileNamed: name) else { return .unknownType }
        let hierarchy = MediaTypeHierarchy(beside: directories).of(type)
        return DocumentApps(levels).app(for: hierarchy).map(Choice.app) ?? .noApp(type)
    }

    private var levels: [DocumentApps.Level] {
        configuration.flatMap { lists(in: $0).map { DocumentApps.Level(list: $0) } }
            + directories.paths.flatMap { directory in
                lists(in: directory).map { DocumentApps.Level(list: $0) } + [apps(in: directory)]
            }
    }

    private func lists(in directory: String) -> [MediaTypeAppList] {
        (desktops.map { "\($0)-mimeapps.list" } + ["mimeapps.list"]).compactMap { name in
            smallFile(at: directory + "/" + name, upTo: Self.maximumFileBytes).map { MediaTypeAppList($0) }
        }
    }

    private func apps(in directory: String) -> DocumentApps.Level {
        let files = DesktopFile.all(in: directory)
        let apps = files.compactMap { file -> DocumentApp? in
            guard let text = file.text, let entry = try? DesktopEntry(text) else { return nil }
            return DocumentApp(id: file.id, entry).flatMap { programs.has($0.tryExec) ? $0 : nil }
        }
        return DocumentApps.Level(apps: apps, ids: Set(files.map(\.id)))
    }
}
