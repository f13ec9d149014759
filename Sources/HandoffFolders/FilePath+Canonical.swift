package import SystemPackage

extension FilePath {
    /// Where the path leads through all links and dots (realpath(3)); nil where it leads nowhere.
    ///
    /// - Throws: ``FolderError`` with `unresponsive` when the file system does not say.
    var canonical: FilePath? {
        get throws(FolderError) { try PathLookup.system.canonical(self) }
    }

    /// Whether the file system says what is there, if anything; one that does not must not be asked anything else.
    package var isResponsive: Bool {
        do throws(FolderError) {
            _ = try canonical
            return true
        } catch {
            return false
        }
    }

    /// Whether a directory is there.
    var isDirectory: Bool { (try? stat())?.type == .directory }

    /// The path of these bytes, which hold no NUL.
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
