package import HandoffModel
import SystemPackage

/// The synchronised folders of this device, and the conversion of document URLs for other devices.
///
/// A `file:` URL in a folder is sent as a `FolderURL`, and becomes the `file:` URL of the same file in the other
/// device's folder. Resolved paths decide: a symbolic link in a folder that leads out of it is outside.
package struct SyncedFolders: Hashable, Sendable {
    private var folders: [FolderID: SyncedFolder] = [:]

    /// Creates an empty set of folders.
    package init() {}

    /// The folders, sorted by id.
    package var all: [SyncedFolder] { folders.values.sorted { $0.id < $1.id } }

    /// The folder of that id; nil if there is none.
    package subscript(id: FolderID) -> SyncedFolder? {
        get { folders[id] }
        set { folders[id] = newValue }
    }

    /// The location of a file in a folder; in the innermost one if folders are nested, and in that with the first id if several
    /// have the same directory.
    ///
    /// - Throws: ``FolderError`` with `missing`, `notShared` or `unresponsive`.
    package func location(of file: FileURL) throws(FolderError) -> FolderURL {
        let path = FilePath(bytes: file.path)
        // Before the file: files in an unresponsive folder are not looked up.
        var roots: [(folder: SyncedFolder, root: FilePath)] = []
        var timeoutError: FolderError?
        // Of equal ones, `max` takes the first.
        for folder in all {
            do throws(FolderError) {
                if let root = try folder.path.canonical { roots.append((folder, root)) }
            } catch {
                timeoutError = error
            }
        }
        guard let real = try path.canonical else {
            throw FolderError(.missing, "\(path) does not exist and therefore cannot be opened on another device.")
        }
        let holders = roots.filter { real.starts(with: $0.root) }
        guard let holder = holders.max(by: { $0.root.components.count < $1.root.components.count }) else {
            throw timeoutError ?? notShared(path)
        }
        let below = real.components.dropFirst(holder.root.components.count)
        return try Self.mappingModelError(.invalid) { () throws(ModelError) in
            try FolderURL(
                folder: holder.folder.id,
                components: below.map { FilePath(root: nil, components: $0).bytes },
                suffix: file.suffix
            )
        }
    }

    /// The location of a file of a folder on this device, whether or not it exists yet.
    ///
    /// - Throws: ``FolderError`` with `noSuchFolder`, `outsideFolder` or `unresponsive`.
    package func localFile(of url: FolderURL) throws(FolderError) -> FileLocation {
        guard let folder = folders[url.folder] else {
            throw FolderError(
                .noSuchFolder,
                "The document is in the folder \(url.folder), which this device does not have; "
                    + "`handoffctl folders add \(url.folder) PATH` adds it."
            )
        }
        return try FileLocation(url, in: folder)
    }

    /// The activity as it is sent, with `file:` URLs replaced by folder URLs.
    ///
    /// - Throws: ``FolderError`` with `missing`, `notShared` or `unresponsive`, and with `invalid` for a URL that is
    ///   malformed or is a folder URL already.
    package func shared(_ activity: Activity) throws(FolderError) -> Activity {
        try activity.mappingURLs { text throws(FolderError) in
            guard let file = try Self.file(text) else { return text }
            return try location(of: file).description
        }
    }

    /// Checks that every file of an activity, except its document, is in a folder.
    ///
    /// - Throws: ``FolderError`` as ``shared(_:)``.
    package func check(_ activity: Activity) throws(FolderError) {
        var others = activity.userInfo
        others[Activity.documentURLKey] = nil
        _ = try UserInfoValue.mapped(others) { text throws(FolderError) in
            guard let file = try Self.file(text) else { return text }
            return try location(of: file).description
        }
    }

    /// Why an activity's document cannot be sent now; nil if it can, or if there is none.
    ///
    /// - Throws: ``FolderError`` with `invalid` for a URL that can never be sent.
    package func documentFault(of activity: Activity) throws(FolderError) -> FolderError? {
        guard let text = activity.documentURL, let file = try Self.file(text) else { return nil }
        do {
            _ = try location(of: file)
            return nil
        } catch {
            return error
        }
    }

    /// The activity with URLs of files on this device, and the locations of its documents, which may not exist yet.
    ///
    /// - Throws: ``FolderError`` with `noSuchFolder`, `outsideFolder`, `unresponsive` or `foreign`.
    package func local(_ activity: Activity) throws(FolderError) -> (activity: Activity, locations: [FileLocation]) {
        var locations: [FileLocation] = []
        let local = try activity.mappingURLs { text throws(FolderError) in
            let url = try Self.mappingModelError(.foreign) { () throws(ModelError) in
                guard try FileURL(text) == nil else {
                    throw ModelError(
                        .invalidFileURL,
                        "\(text.debugDescription) is a file: URL of the other device; only folder URLs can be opened."
                    )
                }
                return try FolderURL(text)
            }
            guard let url else { return text }
            let location = try localFile(of: url)
            locations.append(location)
            return location.url.description
        }
        return (local, locations)
    }

    /// The file of a `file:` URL of this device; nil for a URL of another scheme.
    ///
    /// - Throws: ``FolderError`` with `invalid`.
    package static func file(_ text: String) throws(FolderError) -> FileURL? {
        try mappingModelError(.invalid) { () throws(ModelError) in
            guard try FolderURL(text) == nil else {
                throw ModelError(
                    .invalidFileURL,
                    "handoff-folder: URLs are used only between devices; give a file: URL of this device."
                )
            }
            return try FileURL(text)
        }
    }

    private func notShared(_ path: FilePath) -> FolderError {
        let list = all.map { "\($0.id) (\($0.path))" }.joined(separator: ", ")
        return FolderError(
            .notShared,
            "\(path) is not in a synchronised folder, so other devices cannot open it. "
                + (list.isEmpty ? "There are no folders yet; " : "The folders are \(list); ")
                + "`handoffctl folders add ID PATH` adds one."
        )
    }

    private static func mappingModelError<Success>(
        _ code: FolderError.Code,
        _ body: () throws(ModelError) -> Success
    ) throws(FolderError) -> Success {
        do {
            return try body()
        } catch {
            throw FolderError(code, error.message)
        }
    }
}
