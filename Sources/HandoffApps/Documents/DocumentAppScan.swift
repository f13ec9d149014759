/// Finds the apps for a document; reads all files at each query.
package struct DocumentAppScan: Sendable {
    private let directories: AppDirectories
    private let configuration: [String]
    /// The names of the running desktops, such as `gnome`, whose own lists take precedence.
    private let desktops: [String]
    /// How the apps that are found are started.
    package let launcher: AppLauncher

    /// Larger lists are not read; a full one has a few KB.
    private static let maximumFileBytes = 1024 * 1024

    /// - Parameters:
    ///   - directories: the directories of desktop files.
    ///   - environment: the variables `HOME`, `PATH`, `XDG_CONFIG_DIRS`, `XDG_CONFIG_HOME`, `XDG_CURRENT_DESKTOP`, and those
    ///     of ``UserLanguages``.
    package init(directories: AppDirectories, environment: [String: String]) {
        self.directories = directories
        launcher = AppLauncher(environment: environment)
        let names = (environment["XDG_CURRENT_DESKTOP"] ?? "").split(separator: ":").map { $0.lowercased() }
        desktops = names.filter { !$0.contains("/") }
        let home = environment["HOME"].map { $0 + "/.config" }
        let own = environment["XDG_CONFIG_HOME"].flatMap { $0.isEmpty ? nil : $0 } ?? home
        let listed = environment["XDG_CONFIG_DIRS"] ?? ""
        let shared = (listed.isEmpty ? "/etc/xdg" : listed).split(separator: ":").map(String.init)
        // Relative paths have to be ignored (XDG Base Directory Specification).
        configuration = ((own.map { [$0] } ?? []) + shared).filter { $0.hasPrefix("/") }
    }

    /// The MIME type of a document, followed by its supertypes.
    ///
    /// - Parameters:
    ///   - name: the last component of its path.
    ///   - path: the bytes of its path: its content is read where its name does not tell the type.
    package func types(ofFileNamed name: String, at path: [UInt8]) -> [String] {
        let type = MediaTypes(beside: directories).type(ofFileNamed: name, at: path)
        return MediaTypeHierarchy(beside: directories).of(type)
    }

    /// The apps for these types that are installed, the best one first (``DocumentApps/apps(for:)``).
    package func apps(for types: [String]) -> [DocumentApp] { DocumentApps(levels).apps(for: types) }

    /// The default app for the first of these types that has one; nil if no app opens any of them.
    package func app(for types: [String]) -> DocumentApp? { apps(for: types).first }

    /// The type that stands for the default web browser in the lists of default apps.
    package static let webpageType = "x-scheme-handler/https"

    /// The directories whose lists the user, the desktop and the system maintain; they need not exist.
    package var listDirectories: [String] { configuration }

    /// The lists of the user, the desktop and the system, without those beside desktop files.
    package var configuredLists: [MediaTypeAppList] {
        let aliases = MediaTypeAliases()
        return configuration.flatMap { directory in
            (desktopLists + ["mimeapps.list"]).compactMap { list($0, in: directory, aliases) }
        }
    }

    private var levels: [DocumentApps.Level] {
        let aliases = MediaTypeAliases(beside: directories)
        return configuration.map { level($0, aliases) } + directories.paths.map { appLevel($0, aliases) }
    }

    private var desktopLists: [String] { desktops.map { "\($0)-mimeapps.list" } }

    private func level(_ directory: String, _ aliases: MediaTypeAliases) -> DocumentApps.Level {
        let own = list("mimeapps.list", in: directory, aliases) ?? MediaTypeAppList()
        let lists = desktopLists.compactMap { list($0, in: directory, aliases) }
        return DocumentApps.Level(list: own, lists: lists + [own])
    }

    private func appLevel(_ directory: String, _ aliases: MediaTypeAliases) -> DocumentApps.Level {
        var level = level(directory, aliases)
        // Of GNOME before 3.8, and still in use.
        level.lists += list("defaults.list", in: directory, aliases).map { [$0] } ?? []
        level.cache = list("mimeinfo.cache", in: directory, aliases) ?? MediaTypeAppList()
        for file in DesktopFile.all(in: directory) {
            level.ids.insert(file.id)
            guard let text = file.text, let entry = DesktopEntry(asDesktopsRead: text) else { continue }
            if entry.boolean("Hidden") == true { level.hidden.insert(file.id) }
            let app = DocumentApp(id: file.id, entry, file: file.path, languages: launcher.languages)
            if let app, app.isInstalled(in: launcher.programs) { level.apps.append(app.named(by: aliases)) }
        }
        return level
    }

    private func list(_ name: String, in directory: String, _ aliases: MediaTypeAliases) -> MediaTypeAppList? {
        let text = smallFile(at: directory + "/" + name, upTo: Self.maximumFileBytes)
        return text.map { MediaTypeAppList($0, aliases: aliases) }
    }
}
