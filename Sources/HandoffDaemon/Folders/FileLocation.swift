package import Epoll
package import HandoffModel
package import SystemPackage

/// The place of a document of another device in a folder of this one; the file appears there once it is synchronised.
package struct FileLocation: Hashable, Sendable {
    /// The folder.
    package let folder: SyncedFolder
    /// The file.
    package let path: FilePath
    /// The file as a URL of this device.
    package let url: FileURL

    /// - Throws: ``FolderError`` with `invalid` for a path that no `file:` URL can contain, and as ``exists``.
    init(_ url: FolderURL, in folder: SyncedFolder) throws(FolderError) {
        self.folder = folder
        var path = folder.path
        for component in url.components { path.append(FilePath(bytes: component).components) }
        self.path = path
        do {
            self.url = try FileURL(path: path.bytes, suffix: url.suffix)
        } catch {
            throw FolderError(.invalid, error.message)
        }
        _ = try exists
    }

    /// Whether the file exists now.
    ///
    /// - Throws: ``FolderError`` with `noSuchFolder` if the folder's directory does not exist, with `outsideFolder` if
    ///   a symbolic link in the path leads out of the folder, and with `unresponsive`.
    package var exists: Bool {
        get throws(FolderError) {
            guard let root = try folder.path.canonical else {
                throw FolderError(
                    .noSuchFolder,
                    "The folder \(folder.id) should be at \(folder.path), which does not exist; is it mounted?"
                )
            }
            let nearest = try nearest
            guard let real = try nearest.canonical, real.starts(with: root) else {
                throw FolderError(
                    .outsideFolder,
                    "\(nearest) leads out of the folder \(folder.id) and is therefore not opened."
                )
            }
            return nearest == path
        }
    }

    /// The polling interval for directories that inotify cannot watch; short, because the user is waiting.
    private static let rescanInterval = Duration.seconds(1)

    /// Waits until the file exists.
    ///
    /// - Throws: ``FolderError`` as ``exists``; `CancellationError` when the task is cancelled.
    package func waitUntilExists(watchedThrough inotify: Inotify = .shared) async throws {
        while true {
            let directory = try nearest
            // Watch before checking, so that no change is missed in between.
            let watch = DirectoryWatch([directory], through: inotify)
            if try exists { return }
            guard try nearest == directory else { continue }
            try await watch.changed(orAfter: Self.rescanInterval)
        }
    }

    /// The longest existing prefix of the path, but at least the folder's own directory.
    private var nearest: FilePath {
        get throws(FolderError) {
            var nearest = path
            while nearest != folder.path, try nearest.canonical == nil { nearest.removeLastComponent() }
            return nearest
        }
    }
}
