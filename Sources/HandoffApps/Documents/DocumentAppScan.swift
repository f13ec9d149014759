/// Finds the default app for a document; reads all files at each query.
package struct DocumentAppScan: Sendable {
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

    /// The MIME type of a document of that name, followed by its supertypes; empty if it is unknown.
    ///
    /// - Parameter name: the last component of its path.
    package func types(ofFileNamed name: String) -> [String] {
        MediaTypes(beside: directories).type(ofFileNamed: name).map { MediaTypeHierarchy(beside: directories).of($0) }
            ?? []
    }

    /// The default app for the first of these types that has one; nil if no app opens any of them.
    package func app(for types: [String]) -> DocumentApp? { DocumentApps(levels).app(for: types) }

    /// The type that stands for the default web browser in the lists of default apps.
    package static let webpageType = "x-scheme-handler/https"

    /// The directories whose lists the user, the desktop and the system maintain; they need not exist.
    package var listDirectories: [String] { configuration }

    /// The lists of the user, the desktop and the system, without those beside desktop files.
    package var configuredLists: [MediaTypeAppList] { configuration.flatMap(lists) }

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
