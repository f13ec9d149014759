import SystemPackage

/// Writes files without the synchronisation to disk that would make every input slow.
enum StateFiles {
    /// Replaces a file's content.
    static func replace(_ name: String, in directory: FilePath, with bytes: [UInt8]) throws {
        let options: FileDescriptor.OpenOptions = [.create, .truncate]
        let file = try FileDescriptor.open(
            directory.appending(name),
            .writeOnly,
            options: options,
            permissions: .ownerReadWrite
        )
        try file.closeAfter { _ = try file.writeAll(bytes) }
    }
}
