private import Glibc
import HandoffModel

/// Reads the apps from their directories.
package struct AppScan: Sendable {
    private let directories: AppDirectories
    /// Where programs without a path are looked for.
    private let programs: [String]

    /// A larger file is no desktop file.
    private static let largestFile = 256 * 1024
    /// How many files are looked at; a desktop with everything installed has a few hundred.
    private static let mostFiles = 10_000
    /// How deep directories are looked into (Desktop Entry Specification, "Desktop File ID").
    private static let depth = 3

    /// - Parameters:
    ///   - directories: where desktop files are.
    ///   - searchPath: the variable `PATH`.
    package init(directories: AppDirectories, searchPath: String) {
        self.directories = directories
        programs = searchPath.split(separator: ":").map(String.init)
    }

    /// The apps that are there now.
    package func registry() -> AppRegistry {
        var apps: [App] = []
        var faults: [AppRegistry.Fault] = []
        var known: Set<String> = []
        for directory in directories.paths {
            // A file in an earlier directory hides those of the same id in later ones.
            for file in files(in: directory) where known.insert(file.id).inserted {
                do throws(AppFault) {
                    if let app = try app(file), isInstalled(app) { apps.append(app) }
                } catch {
                    faults.append(AppRegistry.Fault(file: file.path, message: error.description))
                }
            }
        }
        return AppRegistry(apps: apps, faults: faults)
    }

    /// The directories that a watcher has to watch, those that are not there among them.
    package var watched: [String] {
        directories.paths.flatMap { [$0] + Self.entries(of: $0, "", 1).directories.map(\.path) }
    }

    private struct File {
        let path: String
        let id: String
    }

    private func files(in directory: String) -> [File] {
        let entries = Self.entries(of: directory, "", Self.depth)
        return Array(entries.files.sorted { $0.id < $1.id }.prefix(Self.mostFiles))
    }

    private static func entries(of path: String, _ prefix: String, _ depth: Int) -> (files: [File], directories: [File])
    {
        var files: [File] = []
        var directories: [File] = []
        for name in names(in: path).prefix(mostFiles) {
            let inner = path + "/" + name
            if name.hasSuffix(".desktop") {
                files.append(File(path: inner, id: prefix + name.dropLast(".desktop".count)))
            } else if depth > 0, isDirectory(inner) {
                directories.append(File(path: inner, id: prefix + name))
                let below = entries(of: inner, prefix + name + "-", depth - 1)
                files += below.files
                directories += below.directories
            }
        }
        return (files, directories)
    }

    private static func names(in directory: String) -> [String] {
        guard let stream = opendir(directory) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names
    }

    private static func isDirectory(_ path: String) -> Bool {
        var status = stat()
        // Not through links, which may lead round in circles.
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    private func app(_ file: File) throws(AppFault) -> App? {
        guard let text = smallFile(at: file.path, upTo: Self.largestFile) else { return nil }
        // Most files have nothing to do with handing over, and their faults are none of our business.
        guard text.contains("X-Handoff-") else { return nil }
        return try App(id: file.id, Self.entry(text))
    }

    private static func entry(_ text: String) throws(AppFault) -> DesktopEntry {
        do throws(DesktopEntry.SyntaxError) {
            return try DesktopEntry(text)
        } catch {
            throw AppFault(error.description)
        }
    }

    private func isInstalled(_ app: App) -> Bool {
        guard let program = app.tryExec else { return true }
        if program.contains("/") { return access(program, X_OK) == 0 }
        return programs.contains { access($0 + "/" + program, X_OK) == 0 }
    }
}
