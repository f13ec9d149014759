package import SystemPackage

extension FilePath {
    /// The path with all symbolic links and dots resolved (realpath(3)); nil if it does not exist.
    ///
    /// - Throws: ``FolderError`` with `unresponsive` if the file system does not answer.
    var canonical: FilePath? {
        get throws(FolderError) { try PathLookup.system.canonical(self) }
    }

    /// Whether the file system of the path answers; one that does not must not be accessed further.
    package var isResponsive: Bool {
        do throws(FolderError) {
            _ = try canonical
            return true
        } catch {
            return false
        }
    }

    /// Whether the path is a directory.
    var isDirectory: Bool { (try? stat())?.type == .directory }

    /// Creates a path from bytes, which must not contain NUL.
    package init(bytes: [UInt8]) {
        self.init(platformString: bytes.map { CChar(bitPattern: $0) } + [0])
    }

    /// The path as bytes.
    package var bytes: [UInt8] {
        withPlatformString { path in
            Array(UnsafeRawBufferPointer(start: path, count: length))
        }
    }
}
