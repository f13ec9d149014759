import HandoffModel

/// Reads the apps from the directories of desktop files.
package struct AppScan: Sendable {
    /// The directories of desktop files.
    package let directories: AppDirectories
    private let launcher: AppLauncher

    /// - Parameters:
    ///   - directories: the directories of desktop files.
    ///   - environment: the variables `HOME` and `PATH`, and those of ``UserLanguages``.
    package init(directories: AppDirectories, environment: [String: String]) {
        self.directories = directories
        launcher = AppLauncher(environment: environment)
    }

    /// Reads the directories and returns the apps that are installed now.
    package func registry() -> AppRegistry {
        var apps: [App] = []
        var faults: [AppRegistry.Fault] = []
        var teams: [String: String] = [:]
        var known: Set<String> = []
        for directory in directories.paths {
            // A file in an earlier directory hides those of the same id in later ones.
            for file in DesktopFile.all(in: directory) where known.insert(file.id).inserted {
                // Most files do not declare activities; their errors are not reported.
                guard let text = file.text, text.includes("X-Handoff-") else { continue }
                do throws(AppError) {
                    let entry = try entry(text)
                    teams[file.id] = try App.teamID(entry)
                    if let app = try app(of: file, entry) { apps.append(app) }
                    // What desktops forgive is told to whoever writes the file, and keeps no app away.
                    try check(text)
                } catch {
                    faults.append(AppRegistry.Fault(file: file.path, message: error.description))
                }
            }
        }
        return AppRegistry(apps: apps, faults: faults, teams: teams)
    }

    /// The directories to watch for changes, including those that do not exist.
    package var watched: [String] {
        directories.paths.flatMap { [$0] + DesktopFile.directories(in: $0) }
    }

    /// Returns the team that the desktop file of an app declares; nil if it declares no valid one, or if there is no file.
    ///
    /// - Parameters:
    ///   - id: the id of the file, without `.desktop`.
    ///   - directories: the directories of desktop files; the first that has the file counts.
    package static func teamID(ofApp id: String, in directories: AppDirectories) -> String? {
        let texts = directories.paths.lazy.compactMap { DesktopFile(path: "\($0)/\(id).desktop", id: id).text }
        guard let text = texts.first, let entry = DesktopEntry(asDesktopsRead: text) else { return nil }
        return try? App.teamID(entry)
    }

    private func app(of file: DesktopFile, _ entry: DesktopEntry) throws(AppError) -> App? {
        let app = try App(
            id: file.id,
            entry,
            isExported: file.isExported,
            file: file.path,
            languages: launcher.languages
        )
        return app.flatMap { launcher.programs.has($0.tryExec) ? $0 : nil }
    }

    /// The content of a file, as desktops read it.
    ///
    /// - Throws: an error that names the invalid line.
    private func entry(_ text: String) throws(AppError) -> DesktopEntry {
        if let entry = DesktopEntry(asDesktopsRead: text) { return entry }
        try check(text)
        throw AppError("desktops ignore the file: its first group has to be [Desktop Entry].")
    }

    private func check(_ text: String) throws(AppError) {
        do throws(DesktopEntry.SyntaxError) {
            _ = try DesktopEntry(text)
        } catch {
            throw AppError(error.description)
        }
    }
}
