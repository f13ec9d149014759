import HandoffModel

/// Reads the apps from their directories.
package struct AppScan: Sendable {
    /// Where desktop files are.
    package let directories: AppDirectories
    /// Where programs without a path are looked for.
    private let programs: SearchPath

    /// - Parameters:
    ///   - directories: where desktop files are.
    ///   - searchPath: the variable `PATH`.
    package init(directories: AppDirectories, searchPath: String) {
        self.directories = directories
        programs = SearchPath(searchPath)
    }

    /// The apps that are there now.
    package func registry() -> AppRegistry {
        var apps: [App] = []
        var faults: [AppRegistry.Fault] = []
        var known: Set<String> = []
        for directory in directories.paths {
            // A file in an earlier directory hides those of the same id in later ones.
            for file in DesktopFile.all(in: directory) where known.insert(file.id).inserted {
                do throws(AppError) {
                    if let app = try app(file), programs.has(app.tryExec) { apps.append(app) }
                } catch {
                    faults.append(AppRegistry.Fault(file: file.path, message: error.description))
                }
            }
        }
        return AppRegistry(apps: apps, faults: faults)
    }

    /// The directories that a watcher has to watch, those that are not there among them.
    package var watched: [String] {
        directories.paths.flatMap { [$0] + DesktopFile.directories(in: $0) }
    }

    private func app(_ file: DesktopFile) throws(AppError) -> App? {
        guard let text = file.text else { return nil }
        // Most files have nothing to do with handing over, and their faults are none of our business.
        guard text.contains("X-Handoff-") else { return nil }
        return try App(id: file.id, Self.entry(text))
    }

    private static func entry(_ text: String) throws(AppError) -> DesktopEntry {
        do throws(DesktopEntry.SyntaxError) {
            return try DesktopEntry(text)
        } catch {
            throw AppError(error.description)
        }
    }
}
