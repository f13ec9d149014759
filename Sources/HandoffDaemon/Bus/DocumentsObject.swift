import HandoffApps
import HandoffBus
import HandoffCore
import HandoffModel
import Synchronization
import SystemPackage

/// The synchronised folders: those of the configuration file, and added ones, which are kept in the state directory.
final class FolderList: Sendable {
    private static let file = StateFile<[String: String]>(name: "folders", version: 1)

    private let home: String?
    private let configured: Mutex<SyncedFolders>
    private let added: PersistentValue<[String: String]>

    /// - Parameters:
    ///   - directory: the directory that keeps the added folders.
    ///   - configured: the folders of the configuration file.
    ///   - home: the user's home directory.
    /// - Throws: ``HandoffError`` when the file cannot be read or is damaged; the file is not changed.
    init(
        from directory: StateDirectory,
        configured: SyncedFolders,
        home: String?
    ) throws(HandoffError) {
        self.configured = Mutex(configured)
        self.home = home
        added = try PersistentValue(Self.file, in: directory, initial: [:])
    }

    /// All folders; the one of the configuration file if both contain an id.
    var all: SyncedFolders {
        var all = configured.withLock(\.self)
        for (id, path) in added.value {
            guard let id = try? FolderID(id), all[id] == nil else { continue }
            all[id] = try? SyncedFolder(id: id, path: path)
        }
        return all
    }

    /// Whether the configuration file contains the folder.
    func isConfigured(_ id: FolderID) -> Bool { configured.withLock { $0[id] != nil } }

    /// Replaces the folders of the configuration file, which was read again.
    func setConfigured(_ folders: SyncedFolders) {
        configured.withLock { $0 = folders }
    }

    /// Sets the path of a folder on this device, and then calls `follow`; nil removes it.
    ///
    /// - Throws: ``HandoffError`` with `invalidDocument` for a path that is not absolute or is not a directory, and for
    ///   a folder of the configuration file, with `stateUnwritable`; then nothing has changed.
    func set(_ path: String?, for id: FolderID, then follow: () -> Void = {}) async throws {
        guard !isConfigured(id) else {
            throw HandoffError(.invalidDocument, "The folder \(id) is set in the configuration file; change it there.")
        }
        let folder = try path.map { path throws(HandoffError) in try checked(path, id) }
        try await added.change({ $0[id.rawValue] = folder?.path.string }, then: follow)
    }

    private func checked(_ path: String, _ id: FolderID) throws(HandoffError) -> SyncedFolder {
        let folder: SyncedFolder
        do {
            folder = try SyncedFolder(id: id, path: path, home: home)
        } catch {
            throw HandoffError(error)
        }
        if let problem = folder.problem { throw HandoffError(.invalidDocument, problem) }
        return folder
    }
}

/// Implements `Documents1` for the engine.
struct DocumentsObject: DocumentsHandler {
    let engine: Engine
    let list: FolderList
    let apps: AppDirectories

    var folders: [FolderDescription] {
        engine.desktop.folders.all.map { folder in
            FolderDescription(
                id: folder.id.rawValue,
                path: folder.path.string,
                problem: folder.problem ?? "",
                isConfigured: list.isConfigured(folder.id)
            )
        }
    }

    func addFolder(_ id: String, at path: String) async throws {
        try await set(path, for: try FolderID(id))
    }

    func removeFolder(_ id: String) async throws {
        let id = try FolderID(id)
        guard engine.read({ $0.desktop.folders[id] }) != nil else {
            throw HandoffError(.noSuchFolder, "There is no folder \(id); see `handoffctl folders`.")
        }
        try await set(nil, for: id)
    }

    func locate(_ url: String) throws -> String {
        do {
            return try engine.desktop.folders.location(of: try file(url)).description
        } catch let fault as FolderError {
            throw HandoffError(fault)
        }
    }

    func types(ofDocument url: String) throws -> (mediaType: String, activityTypes: [String]) {
        let bytes = try file(url).path
        let path = FilePath(bytes: bytes)
        // Where the name says nothing the file is read, which would block for ever on a drive that does not answer.
        do { _ = try path.canonical } catch { throw HandoffError(error) }
        let name = path.lastComponent?.string ?? ""
        let found = MediaTypes(beside: apps).type(ofFileNamed: name, at: bytes)
        let mediaType = found == MediaTypes.unknown ? "" : found
        let types = engine.read { $0.desktop.installedApps.apps.compactMap { $0.documentTypes[mediaType] } }
        return (mediaType, types.map(\.rawValue).reduce(into: []) { if !$0.contains($1) { $0.append($1) } })
    }

    private func set(_ path: String?, for id: FolderID) async throws {
        try await list.set(path, for: id) { engine.desktop.setFolders(list.all) }
    }

    private func file(_ url: String) throws -> FileURL {
        guard let file = try FileURL(url) else {
            throw ModelError(.invalidFileURL, "\(url.debugDescription) is not a file: URL of this device.")
        }
        return file
    }
}
