import SystemPackage

/// Writes files as quickly as they come, without the durability that costs a daemon its time.
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
