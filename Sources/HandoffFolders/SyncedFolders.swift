package import HandoffModel
import SystemPackage

/// The synchronised folders of this device, and the way of documents between them and the air.
///
/// A `file:` URL in a folder travels as a `FolderURL`, and becomes the `file:` URL of the same file in the other device's
/// folder. What decides is where a path really leads: a link inside a folder that leads out of it is outside.
package struct SyncedFolders: Hashable, Sendable {
    private var folders: [FolderID: SyncedFolder] = [:]

    /// No folders.
    package init() {}

    /// The folders, by id.
    package var all: [SyncedFolder] { folders.values.sorted { $0.id < $1.id } }

    /// The folder of that id.
    package subscript(id: FolderID) -> SyncedFolder? {
        get { folders[id] }
        set { folders[id] = newValue }
    }

    /// Where in a folder a file is; in the innermost, where folders are in each other.
    ///
    /// - Throws: ``FolderError`` with `missing`, `notShared` or `unresponsive`.
    package func location(of file: FileURL) throws(FolderError) -> FolderURL {
        let path = FilePath(bytes: file.path)
        // Before the file: of a folder that does not answer, no file is asked for.
        var roots: [(folder: SyncedFolder, root: FilePath)] = []
        var timeoutError: FolderError?
        for folder in folders.values {
            do throws(FolderError) {
                if let root = try folder.path.canonical { roots.append((folder, root)) }
            } catch {
                timeoutError = error
            }
        }
        guard let real = try path.canonical else {
            throw FolderError(.missing, "\(path) does not exist, so that it cannot follow to another device.")
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

    /// Where a file of a folder is on this device, whether or not it is there yet.
    ///
    /// - Throws: ``FolderError`` with `noSuchFolder`, `outsideFolder` or `unresponsive`.
    package func localFile(of url: FolderURL) throws(FolderError) -> FileLocation {
        guard let folder = folders[url.folder] else {
            throw FolderError(
                .noSuchFolder,
                "The document is in a folder \(url.folder) that this device does not have; "
                    + "`handoffctl folders add \(url.folder) PATH` says where it is here."
            )
        }
        return try FileLocation(url, in: folder)
    }

    /// The activity as it travels: with where in the folders its documents are.
    ///
    /// - Throws: ``FolderError`` with `missing`, `notShared` or `unresponsive`, and with `invalid` for a URL that is malformed or
    ///   belongs to the protocol.
    package func shared(_ activity: Activity) throws(FolderError) -> Activity {
        try activity.mappingURLs { text throws(FolderError) in
            guard let file = try Self.file(text) else { return text }
            return try location(of: file).description
        }
    }

    /// Checks that every file which an activity names lies in a folder, except for its document.
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

    /// Why an activity's document cannot follow to another device now; nil when it can, and where there is none.
    ///
    /// - Throws: ``FolderError`` with `invalid` for a URL that can never be followed.
    package func documentFault(of activity: Activity) throws(FolderError) -> FolderError? {
        guard let text = activity.documentURL, let file = try Self.file(text) else { return nil }
        do {
            _ = try location(of: file)
            return nil
        } catch {
            return error
        }
    }

    /// The activity as it is on this device, and where its documents are or will be.
    ///
    /// - Throws: ``FolderError`` with `noSuchFolder`, `outsideFolder`, `unresponsive` or `foreign`.
    package func local(_ activity: Activity) throws(FolderError) -> (activity: Activity, locations: [FileLocation]) {
        var locations: [FileLocation] = []
        let local = try activity.mappingURLs { text throws(FolderError) in
            let url = try Self.mappingModelError(.foreign) { () throws(ModelError) in
                guard try FileURL(text) == nil else {
                    throw ModelError(.invalidFileURL, "\(text.debugDescription) is a file of the other device.")
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

    /// The file that a URL of this device names; nil where it names none.
    ///
    /// - Throws: ``FolderError`` with `invalid`.
    package static func file(_ text: String) throws(FolderError) -> FileURL? {
        try mappingModelError(.invalid) { () throws(ModelError) in
            guard try FolderURL(text) == nil else {
                throw ModelError(.invalidFileURL, "handoff-folder: is for the air; write a file: URL of this device.")
            }
            return try FileURL(text)
        }
    }

    private func notShared(_ path: FilePath) -> FolderError {
        let list = all.map { "\($0.id) (\($0.path))" }.joined(separator: ", ")
        return FolderError(
            .notShared,
            "\(path) lies in no synchronised folder, so that another device could not open it. "
                + (list.isEmpty ? "There is none yet; " : "There are \(list); ")
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
