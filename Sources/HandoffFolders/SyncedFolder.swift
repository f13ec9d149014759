package import HandoffModel
package import SystemPackage

/// A directory that something else, such as Syncthing or Nextcloud, keeps the same on several devices.
package struct SyncedFolder: Hashable, Sendable {
    /// What it is called on all of them.
    package let id: FolderID
    /// Where it is here, absolute.
    package let path: FilePath

    /// Names a directory, which need not be there.
    ///
    /// - Parameters:
    ///   - id: what the folder is called.
    ///   - path: where it is; `~` stands for `home`.
    ///   - home: the person's home directory, where there is one.
    /// - Throws: `FolderError` with `invalid` for a path that is not absolute.
    package init(id: FolderID, path: String, home: String? = nil) throws(FolderError) {
        var text = path
        if let home, path == "~" || path.hasPrefix("~/") { text = home + path.dropFirst() }
        let path = FilePath(text).lexicallyNormalized()
        guard path.isAbsolute, !text.utf8.contains(0) else {
            throw FolderError(.invalid, "\(text.debugDescription) is no absolute path; the folder \(id) needs one.")
        }
        self.id = id
        self.path = path
    }

    /// Why nothing in it can be found now; nil when all is well.
    package var problem: String? {
        do throws(FolderError) {
            guard let real = try path.canonical else { return "\(path) does not exist." }
            return real.isDirectory ? nil : "\(path) is not a directory."
        } catch {
            return error.message
        }
    }
}
