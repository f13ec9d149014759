package import Epoll
package import HandoffModel
package import SystemPackage

/// The place of a document of another device in a folder of this one; the file appears there once it is synchronised.
///
/// Each name in it may be here in another spelling (`NameSpelling`): that of the other device counts first.
package struct FileLocation: Hashable, Sendable {
    /// The folder.
    package let folder: SyncedFolder
    /// The file, as it is spelled here if it exists, else as on the other device.
    package let path: FilePath
    /// The file as a URL of this device.
    package let url: FileURL
    /// The path as the other device spells it, in the folder.
    private let names: [FilePath.Component]

    /// - Throws: ``FolderError`` with `invalid` for a path that no `file:` URL can contain, and as ``exists``.
    init(_ url: FolderURL, in folder: SyncedFolder) throws(FolderError) {
        self.folder = folder
        names = url.components.flatMap { Array(FilePath(bytes: $0).components) }
        let told = folder.path.appending(names)
        path = try Self.search(for: names, in: folder).file ?? told
        do {
            self.url = try FileURL(path: path.bytes, suffix: url.suffix)
        } catch {
            throw FolderError(.invalid, error.message)
        }
    }

    /// Whether the file exists now.
    ///
    /// - Throws: ``FolderError`` with `noSuchFolder` if the folder's directory does not exist, with `outsideFolder` if
    ///   a symbolic link in the path leads out of the folder, with `missing` if several files have its name in other
    ///   spellings, and none as it was told, and with `unresponsive`.
    package var exists: Bool {
        get throws(FolderError) { try Self.search(for: names, in: folder).file != nil }
    }

    /// The polling interval for directories that inotify cannot watch; short, because the user is waiting.
    private static let rescanInterval = Duration.seconds(1)
    /// The most directories of one name that are looked into.
    private static let maximumSpellings = 8

    /// Waits until the file exists; it may be spelled in another way than ``path``.
    ///
    /// - Throws: ``FolderError`` as ``exists``; `CancellationError` when the task is cancelled.
    package func waitUntilExists(watchedThrough inotify: Inotify = .shared) async throws {
        while true {
            let directories = try Self.search(for: names, in: folder).directories
            // Watch before checking, so that no change is missed in between.
            let watch = DirectoryWatch(directories, through: inotify)
            let found = try Self.search(for: names, in: folder)
            if found.file != nil { return }
            guard found.directories == directories else { continue }
            try await watch.changed(orAfter: Self.rescanInterval)
        }
    }

    // MARK: Search

    /// What is there of a path.
    private struct Found {
        /// The files; one, unless their names are the same in other spellings.
        var files: [FilePath] = []
        /// Those in which one may appear: all directories of the path, in each of their spellings.
        var directories: [FilePath] = []

        /// The file, if there is one.
        var file: FilePath? { files.first }
    }

    private static func search(
        for names: [FilePath.Component],
        in folder: SyncedFolder
    ) throws(FolderError) -> Found {
        guard let root = try folder.path.canonical else {
            throw FolderError(
                .noSuchFolder,
                "The folder \(folder.id) should be at \(folder.path), which does not exist; is it mounted?"
            )
        }
        let found = try search(for: names[...], in: folder.path)
        for path in found.files + found.directories {
            // What is gone meanwhile leads nowhere.
            guard try path.canonical?.starts(with: root) != false else {
                throw FolderError(
                    .outsideFolder,
                    "\(path) leads out of the folder \(folder.id) and is therefore not opened."
                )
            }
        }
        guard found.files.count <= 1 else {
            let list = found.files.map(\.string).joined(separator: " and ")
            throw FolderError(
                .missing,
                "\(list) have one name in different spellings, and the other device has it in a third: rename one of them."
            )
        }
        return found
    }

    /// Searches below a path that exists: first by the next name as it was told, then by its other spellings.
    private static func search(
        for names: ArraySlice<FilePath.Component>,
        in path: FilePath
    ) throws(FolderError) -> Found {
        guard let name = names.first else { return Found(files: [path]) }
        var found = Found()
        let told = path.appending(name)
        if try told.canonical != nil {
            found = try search(for: names.dropFirst(), in: told)
            if !found.files.isEmpty { return found }
        }
        for other in try NameSpelling.others(of: name, in: path).prefix(maximumSpellings)
        where try other.canonical != nil {
            let more = try search(for: names.dropFirst(), in: other)
            found.files += more.files
            found.directories += more.directories
        }
        if found.files.isEmpty { found.directories.append(path) }
        return found
    }
}
