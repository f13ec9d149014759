private import Glibc
package import SystemPackage

extension FilePath {
    /// Where the path leads through all links and dots (realpath(3)); nil where it leads nowhere.
    var canonical: FilePath? {
        guard let resolved = withPlatformString({ realpath($0, nil) }) else { return nil }
        defer { free(resolved) }
        return FilePath(platformString: resolved)
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
