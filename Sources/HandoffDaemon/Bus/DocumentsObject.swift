import HandoffApps
import HandoffBus
import HandoffCore
import HandoffFolders
import HandoffModel
import Synchronization
import SystemPackage

/// Which synchronised folders there are: those of the configuration file, and those that were added, which are kept in
/// the state directory.
final class FolderList: Sendable {
    private static let file = StateFile<[String: String]>(name: "folders", version: 1)

    private let directory: StateDirectory
    private let home: String?
    private let configured: SyncedFolders
    private let added: Mutex<[String: String]>

    /// - Parameters:
    ///   - directory: where the folders that were added are kept.
    ///   - configured: those of the configuration file.
    ///   - home: the person's home directory.
    /// - Throws: ``HandoffError`` when the file cannot be read or is damaged; it stays as it is.
    init(
        from directory: StateDirectory,
        configured: SyncedFolders,
        home: String?
    ) throws(HandoffError) {
        self.directory = directory
        self.configured = configured
        self.home = home
        added = Mutex(try Self.file.read(from: directory) ?? [:])
    }

    /// All of them; the configuration file's own where both name one.
    var all: SyncedFolders {
        var all = configured
        for (id, path) in added.withLock(\.self) {
            guard let id = try? FolderID(id), all[id] == nil else { continue }
            all[id] = try? SyncedFolder(id: id, path: path)
        }
        return all
    }

    /// Whether the configuration file names it.
    func isConfigured(_ id: FolderID) -> Bool { configured[id] != nil }

    /// Says where a folder is on this device, or that it is nowhere.
    ///
    /// - Throws: ``HandoffError`` with `invalidDocument` for a path that is not absolute or no directory and for a folder
    ///   of the configuration file, with `stateUnwritable`; then nothing has changed.
    func set(_ path: String?, for id: FolderID) throws(HandoffError) {
        guard configured[id] == nil else {
            throw HandoffError(.invalidDocument, "The folder \(id) stands in the configuration file; change it there.")
        }
        let folder = try path.map { path throws(HandoffError) in try checked(path, id) }
        try added.withLock { added throws(HandoffError) in
            var changed = added
            changed[id.rawValue] = folder?.path.string
            try Self.file.write(changed, to: directory)
            added = changed
        }
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

/// `Documents1` over the engine.
struct DocumentsObject: DocumentsHandler {
    let engine: Engine
    let list: FolderList
    let apps: AppDirectories

    var folders: [FolderDescription] {
        engine.read(\.folders).all.map { folder in
            FolderDescription(
                id: folder.id.rawValue,
                path: folder.path.string,
                problem: folder.problem ?? "",
                isConfigured: list.isConfigured(folder.id)
            )
        }
    }

    func addFolder(_ id: String, at path: String) throws {
        try mappingToDBusError { try set(path, for: try FolderID(id)) }
    }

    func removeFolder(_ id: String) throws {
        try mappingToDBusError {
            let id = try FolderID(id)
            guard engine.read({ $0.folders[id] }) != nil else {
                throw HandoffError(.noSuchFolder, "There is no folder \(id); see `handoffctl folders`.")
            }
            try set(nil, for: id)
        }
    }

    func locate(_ url: String) throws -> String {
        try mappingToDBusError {
            do {
                return try engine.read(\.folders).location(of: try file(url)).description
            } catch let fault as FolderError {
                throw HandoffError(fault)
            }
        }
    }

    func types(ofDocument url: String) throws -> (mediaType: String, activityTypes: [String]) {
        try mappingToDBusError {
            let path = FilePath(bytes: try file(url).path)
            let name = path.lastComponent?.string ?? ""
            let mediaType = MediaTypes(beside: apps).type(ofFileNamed: name) ?? ""
            let types = engine.read { $0.apps.apps.compactMap { $0.documentTypes[mediaType] } }
            return (mediaType, types.map(\.rawValue).reduce(into: []) { if !$0.contains($1) { $0.append($1) } })
        }
    }

    private func set(_ path: String?, for id: FolderID) throws {
        try list.set(path, for: id)
        engine.setFolders(list.all)
    }

    private func file(_ url: String) throws -> FileURL {
        guard let file = try FileURL(url) else {
            throw ModelError(.invalidFileURL, "\(url.debugDescription) is no file: URL of this device.")
        }
        return file
    }
}
