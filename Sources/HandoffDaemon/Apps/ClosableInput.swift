import Epoll
import Glibc
import SystemPackage

/// The standard input of a program that tells by closing it that it goes on with its activity.
///
/// A file with a name, and neither a pipe nor a socket: systemd keeps a descriptor that it is given for as long as the
/// service runs, so that its end would not be seen; a file it opens for the program alone. The program can read it as
/// any file, and one that does not read blocks nobody.
struct ClosableInput: Sendable {
    /// The absolute path of the file.
    let path: FilePath
    /// Tells when the program has closed it.
    let watch: ReaderWatch

    /// The file cannot be made or watched.
    struct Failure: Error {
        let error: Errno
    }

    /// Runs `body` with a new file, which is removed afterwards.
    ///
    /// - Parameters:
    ///   - data: the content of the file.
    ///   - directory: where it is made: an absolute path, of a directory that is the user's alone.
    ///   - body: starts the program.
    /// - Throws: ``Failure``; else what `body` throws.
    static func withFile<Success>(
        of data: [UInt8],
        in directory: FilePath,
        _ body: (ClosableInput) async throws -> Success
    ) async throws -> Success {
        let name = "handoffd-input-\(String(UInt64.random(in: .min ... .max), radix: 16))"
        let path = directory.lexicallyNormalized().appending(name)
        defer { remove(path) }
        return try await body(try make(path, data))
    }

    /// Removes the name of the file, which the program has opened.
    func remove() {
        Self.remove(path)
    }

    private static func remove(_ path: FilePath) {
        _ = path.withPlatformString { unlink($0) }
    }

    private static func make(_ path: FilePath, _ data: [UInt8]) throws(Failure) -> ClosableInput {
        do throws(Errno) {
            try write(data, to: path)
            return ClosableInput(path: path, watch: try ReaderWatch(path))
        } catch {
            throw Failure(error: error)
        }
    }

    private static func write(_ data: [UInt8], to path: FilePath) throws(Errno) {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        let file = try Descriptor { path.withPlatformString { open($0, flags, 0o400) } }
        try writeAll(data[...], to: file.rawValue)
    }
}
