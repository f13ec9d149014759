import Epoll
import Glibc
import SystemPackage

/// A file that other devices may copy; it is opened anew for each of them.
struct CopySource: Sendable {
    /// The file as it was when it was opened.
    struct Opened: Sendable {
        let descriptor: FileDescriptor
        let file: CopiedFile
        /// When its content was changed last, with its nanoseconds.
        fileprivate let changed: timespec
    }

    /// Where it is, without links.
    private let path: String

    /// Checks that there is such a file, which can be read.
    ///
    /// - Throws: `Errno`: `EISDIR` for anything but a regular file.
    init(_ path: String) throws(Errno) {
        guard let real = realpath(path, nil) else { throw Errno(rawValue: errno) }
        defer { free(real) }
        self.path = String(cString: real)
        try open().descriptor.closeIgnoringErrors()
    }

    /// The last part of its path.
    var name: String { FilePath(path).lastComponent?.string ?? path }

    /// Opens the file as it is now.
    ///
    /// - Throws: `Errno`: `ELOOP` if it has been replaced by a link, `EISDIR` for anything but a regular file.
    func open() throws(Errno) -> Opened {
        // A pipe in its place would be waited for.
        let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        let number = try systemCall { Glibc.open(path, flags) }
        let descriptor = FileDescriptor(rawValue: number)
        var status = stat()
        guard fstat(number, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            descriptor.closeIgnoringErrors()
            throw .isDirectory
        }
        let file = CopiedFile(
            name: Array(FilePath(path).lastComponent?.string.utf8 ?? "file".utf8),
            size: Int(status.st_size),
            modificationTime: status.st_mtim.tv_sec
        )
        return Opened(descriptor: descriptor, file: file, changed: status.st_mtim)
    }
}

extension CopySource.Opened {
    /// Whether the file still has the content with which the sending began.
    var isUnchanged: Bool {
        var status = stat()
        return fstat(descriptor.rawValue, &status) == 0 && Int(status.st_size) == file.size
            && status.st_mtim.tv_sec == changed.tv_sec && status.st_mtim.tv_nsec == changed.tv_nsec
    }
}

extension FileDescriptor {
    /// Closes it; what was read from it is complete whatever that returns.
    func closeIgnoringErrors() {
        _ = Glibc.close(rawValue)
    }
}
