import Foundation
import SystemPackage

/// Lends an empty directory and removes it afterwards with all that is in it.
func withTemporaryDirectory<Success>(_ body: (FilePath) async throws -> Success) async throws -> Success {
    let directory = URL.temporaryDirectory.appending(path: "handoffd-test-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    return try await body(FilePath(directory.path()))
}

extension FilePath {
    /// The bytes of the file at this path.
    var contents: [UInt8] {
        get throws { Array(try Data(contentsOf: URL(filePath: string))) }
    }

    /// Replaces the bytes of the file at this path.
    func write(_ bytes: [UInt8]) throws {
        try Data(bytes).write(to: URL(filePath: string))
    }

    func write(_ text: String) throws {
        try write(Array(text.utf8))
    }

    /// Makes a directory at this path.
    func makeDirectory(mode: Int = 0o700) throws {
        try FileManager.default.createDirectory(
            atPath: string,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: mode]
        )
    }

    /// The permission bits of what is at this path.
    var mode: Int? {
        get throws { try FileManager.default.attributesOfItem(atPath: string)[.posixPermissions] as? Int }
    }

    /// The names in the directory at this path.
    var names: Set<String> {
        get throws { Set(try FileManager.default.contentsOfDirectory(atPath: string)) }
    }
}
