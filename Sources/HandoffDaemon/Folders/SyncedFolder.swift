package import HandoffModel
package import SystemPackage

/// A directory that another program, such as Syncthing or Nextcloud, synchronises between devices.
package struct SyncedFolder: Hashable, Sendable {
    /// Its id, which is the same on all devices.
    package let id: FolderID
    /// Its absolute path on this device.
    package let path: FilePath

    /// Creates a folder; its directory need not exist.
    ///
    /// - Parameters:
    ///   - id: the id of the folder.
    ///   - path: the path of the directory; `~` stands for `home`.
    ///   - home: the user's home directory, if there is one.
    /// - Throws: ``FolderError`` with `invalid` for a path that is not absolute, contains NUL, or is longer than Linux allows.
    package init(id: FolderID, path: String, home: String? = nil) throws(FolderError) {
        var text = path
        if let home, path == "~" || path.hasPrefix("~/") { text = home + path.dropFirst() }
        // Checked first: normalizing takes time that grows faster than the length.
        guard text.utf8.count <= FolderURL.maximumPathBytes else {
            throw FolderError(
                .invalid,
                "The path of the folder \(id) has \(text.utf8.count) bytes; Linux allows \(FolderURL.maximumPathBytes)."
            )
        }
        let path = FilePath(text).lexicallyNormalized()
        guard path.isAbsolute, !text.utf8.contains(0) else {
            throw FolderError(.invalid, "\(text.debugDescription) is not an absolute path; the folder \(id) needs one.")
        }
        self.id = id
        self.path = path
    }

    /// Why the folder cannot be used now; nil if it can.
    package var problem: String? {
        do throws(FolderError) {
            guard let real = try path.canonical else { return "\(path) does not exist." }
            return real.isDirectory ? nil : "\(path) is not a directory."
        } catch {
            return error.message
        }
    }
}
