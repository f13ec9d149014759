import AsyncSupport
import Epoll
import Foundation
import SystemPackage
import TestRuns

/// Runs `body` with an empty directory, and removes the directory with its contents afterwards.
///
/// - Parameter inMemory: whether it is in memory, where the system has such a place: for code with time limits, which a
///   busy disk would exceed.
func withTemporaryDirectory<Success>(
    inMemory: Bool = false,
    _ body: (FilePath) async throws -> Success
) async throws -> Success {
    let memory = URL(filePath: "/dev/shm", directoryHint: .isDirectory)
    let isInMemory = inMemory && FileManager.default.isWritableFile(atPath: memory.path())
    let place = isInMemory ? memory : URL.temporaryDirectory
    let directory = place.appending(path: "handoffd-test-\(UUID().uuidString.prefix(8))")
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

    /// Makes a socket at this path, which nobody can open as a file, not even root (open(2), ENXIO).
    func makeSocket() throws {
        guard mknod(string, S_IFSOCK | 0o600, 0) == 0 else { throw Errno(rawValue: errno) }
    }

    /// Makes a directory at this path.
    func makeDirectory(mode: Int = 0o700) throws {
        try FileManager.default.createDirectory(
            atPath: string,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: mode]
        )
    }

    /// The permission bits of the file or directory at this path.
    var mode: Int? {
        get throws { try FileManager.default.attributesOfItem(atPath: string)[.posixPermissions] as? Int }
    }

    /// The names in the directory at this path.
    var names: Set<String> {
        get throws { Set(try FileManager.default.contentsOfDirectory(atPath: string)) }
    }

    /// Makes a named pipe at this path: a program that opens it for writing waits until ``readPipe()``.
    func makePipe() throws {
        guard mkfifo(string, 0o600) == 0 else { throw Errno(rawValue: errno) }
    }

    /// Returns what is written into the pipe at this path until its writer closes it.
    func readPipe() async throws -> [UInt8] {
        let contents = Promise<Result<[UInt8], any Error>>()
        _ = try BlockingThread {
            contents.fulfil(
                Result {
                    let pipe = try FileDescriptor.open(self, .readOnly)
                    return try pipe.closeAfter {
                        var bytes: [UInt8] = []
                        var piece = [UInt8](repeating: 0, count: 4096)
                        while case let count = try piece.withUnsafeMutableBytes({ try pipe.read(into: $0) }), count > 0
                        {
                            bytes += piece[..<count]
                        }
                        return bytes
                    }
                }
            )
        }
        return try await awaiting("a writer of \(self)") { try await contents.value() }.get()
    }

    /// Removes the file at this path.
    func removeFile() throws {
        try FileManager.default.removeItem(atPath: string)
    }
}
