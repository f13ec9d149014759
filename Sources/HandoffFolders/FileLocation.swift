package import Epoll
package import HandoffModel
package import SystemPackage

/// Where a document from another device is in a folder of this one, or will be once it has been synchronised.
package struct FileLocation: Hashable, Sendable {
    /// The folder.
    package let folder: SyncedFolder
    /// The file.
    package let path: FilePath
    /// The file as a URL of this device.
    package let url: FileURL

    /// - Throws: ``FolderError`` with `noSuchFolder` where the folder's directory is not there, with `outsideFolder` or `unresponsive`.
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

    /// Whether the file is there by now.
    ///
    /// - Throws: ``FolderError`` with `noSuchFolder` where the folder's directory is not there, with `outsideFolder` where a
    ///   link on the way leads out of the folder, with `unresponsive`.
    package var exists: Bool {
        get throws(FolderError) {
            guard let root = try folder.path.canonical else {
                throw FolderError(
                    .noSuchFolder,
                    "The folder \(folder.id) should be at \(folder.path), and there is nothing there; is it mounted?"
                )
            }
            let nearest = try nearest
            guard let real = try nearest.canonical, real.starts(with: root) else {
                throw FolderError(
                    .outsideFolder,
                    "\(nearest) leads out of the folder \(folder.id), so that it is not opened."
                )
            }
            return nearest == path
        }
    }

    /// How often a file is looked for whose directory the kernel does not watch: a person waits for it.
    private static let rescanInterval = Duration.seconds(1)

    /// Waits until the file is there.
    ///
    /// - Throws: ``FolderError`` as ``exists``, `ECANCELED` when the task is cancelled.
    package func waitUntilExists(watchedThrough inotify: Inotify = .shared) async throws {
        while true {
            let directory = try nearest
            // Before the file is looked for, so that nothing falls in between.
            let watch = DirectoryWatch([directory], through: inotify)
            if try exists { return }
            guard try nearest == directory else { continue }
            try await watch.changed(orAfter: Self.rescanInterval)
        }
    }

    /// The part of the path that is there, the folder's own directory at least.
    private var nearest: FilePath {
        get throws(FolderError) {
            var nearest = path
            while nearest != folder.path, try nearest.canonical == nil { nearest.removeLastComponent() }
            return nearest
        }
    }
}
