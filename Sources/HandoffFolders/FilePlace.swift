package import Epoll
package import HandoffModel
package import SystemPackage

/// Where a document from another device is in a folder of this one, or will be once it has been synchronised.
package struct FilePlace: Hashable, Sendable {
    /// The folder.
    package let folder: SyncedFolder
    /// The file.
    package let path: FilePath
    /// The file as a URL of this device.
    package let url: FileURL

    /// - Throws: ``FolderFault`` with `noSuchFolder` where the folder's directory is not there, with `leadsOut` or `silent`.
    init(_ url: FolderURL, in folder: SyncedFolder) throws(FolderFault) {
        self.folder = folder
        var path = folder.path
        for component in url.components { path.append(FilePath(bytes: component).components) }
        self.path = path
        do {
            self.url = try FileURL(path: path.bytes, suffix: url.suffix)
        } catch {
            throw FolderFault(.invalid, error.message)
        }
        _ = try isThere
    }

    /// Whether the file is there by now.
    ///
    /// - Throws: ``FolderFault`` with `noSuchFolder` where the folder's directory is not there, with `leadsOut` where a
    ///   link on the way leads out of the folder, with `silent`.
    package var isThere: Bool {
        get throws(FolderFault) {
            guard let root = try folder.path.canonical else {
                throw FolderFault(
                    .noSuchFolder,
                    "The folder \(folder.id) should be at \(folder.path), and there is nothing there; is it mounted?"
                )
            }
            let nearest = try nearest
            guard let real = try nearest.canonical, real.starts(with: root) else {
                throw FolderFault(
                    .leadsOut,
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
    /// - Throws: ``FolderFault`` as ``isThere``, `ECANCELED` when the task is cancelled.
    package func appears(watchedThrough inotify: Inotify = .shared) async throws {
        while true {
            let directory = try nearest
            // Before the file is looked for, so that nothing falls in between.
            let watch = DirectoryWatch([directory], through: inotify)
            if try isThere { return }
            guard try nearest == directory else { continue }
            try await watch.changed(orAfter: Self.rescanInterval)
        }
    }

    /// The part of the path that is there, the folder's own directory at least.
    private var nearest: FilePath {
        get throws(FolderFault) {
            var nearest = path
            while nearest != folder.path, try nearest.canonical == nil { nearest.removeLastComponent() }
            return nearest
        }
    }
}
