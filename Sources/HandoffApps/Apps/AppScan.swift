import HandoffModel

/// Reads the apps from the directories of desktop files.
package struct AppScan: Sendable {
    /// The directories of desktop files.
    package let directories: AppDirectories
    /// The directories in which programs without a path are searched.
    private let programs: SearchPath

    /// - Parameters:
    ///   - directories: the directories of desktop files.
    ///   - searchPath: the value of the variable `PATH`.
    package init(directories: AppDirectories, searchPath: String) {
        self.directories = directories
        programs = SearchPath(searchPath)
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
                do throws(AppError) {
                    guard let entry = try entry(of: file) else { continue }
                    teams[file.id] = try App.teamID(entry)
                    let app = try App(id: file.id, entry, isExported: file.isExported)
                    if let app, programs.has(app.tryExec) { apps.append(app) }
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
        guard let text = texts.first, let entry = try? DesktopEntry(text) else { return nil }
        return try? App.teamID(entry)
    }

    /// The content of a file that has keys of Handoff; nil for any other file.
    private func entry(of file: DesktopFile) throws(AppError) -> DesktopEntry? {
        guard let text = file.text else { return nil }
        // Most files do not declare activities; their errors are not reported.
        guard text.includes("X-Handoff-") else { return nil }
        do throws(DesktopEntry.SyntaxError) {
            return try DesktopEntry(text)
        } catch {
            throw AppError(error.description)
        }
    }
}
