import CLinux
import Epoll
import Glibc
import SystemPackage

/// A copy that is being written, under a name of its own that is hidden; it is removed unless it is put in its place.
struct NewCopy: ~Copyable {
    /// How many files of the same name there may be already.
    private static let maximumNumber = 1000
    /// The attribute by which desktops note where a file came from (freedesktop.org, "Common Extended Attributes").
    private static let originAttribute = "user.xdg.origin.url"

    private let directory: CopyDirectory
    private let name: String
    private let descriptor: FileDescriptor

    /// Begins a file that cannot be executed.
    ///
    /// - Throws: `Errno` of open(2).
    init(in directory: CopyDirectory) throws(Errno) {
        let name = ".handoff-\(UInt64.random(in: .min ... .max)).part"
        self.directory = directory
        self.name = name
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        descriptor = FileDescriptor(
            rawValue: try systemCall { openat(directory.descriptor.rawValue, name, flags, 0o666) }
        )
    }

    deinit {
        descriptor.closeIgnoringErrors()
        // After it has got its name, this one is gone.
        unlinkat(directory.descriptor.rawValue, name, 0)
    }

    /// Appends bytes.
    func write(_ bytes: ArraySlice<UInt8>) throws(Errno) {
        try writeAll(bytes, to: descriptor.rawValue)
    }

    /// Notes where it came from; returns whether the file system keeps that.
    func note(origin: String) -> Bool {
        var bytes = Array(origin.utf8)
        return handoff_set_attribute(descriptor.rawValue, Self.originAttribute, &bytes, bytes.count) == 0
    }

    /// Gives it its time and its name, with a number if other files have that name.
    ///
    /// - Returns: the name.
    /// - Throws: `Errno`; nothing has the name then.
    func place(as wanted: CopyName, modificationTime: Int) throws(Errno) -> [UInt8] {
        let times = [timespec(tv_sec: modificationTime, tv_nsec: 0), timespec(tv_sec: modificationTime, tv_nsec: 0)]
        _ = try systemCall { futimens(descriptor.rawValue, times) }
        _ = try systemCall { fsync(descriptor.rawValue) }
        for number in 1...Self.maximumNumber {
            let candidate = wanted.numbered(number)
            do throws(Errno) {
                try place(as: candidate)
                return candidate
            } catch .fileExists {
                continue
            }
        }
        throw .fileExists
    }

    /// - Throws: `EEXIST` if there is something of that name.
    private func place(as name: [UInt8]) throws(Errno) {
        let (number, old, new) = (directory.descriptor.rawValue, self.name, name.map { CChar(bitPattern: $0) } + [0])
        do throws(Errno) {
            _ = try systemCall { linkat(number, old, number, new, 0) }
        } catch .notPermitted, .notSupported, .noFunction {
            // A file system without links, such as FAT: the name is taken by an empty file, which this one replaces.
            let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
            let empty = FileDescriptor(rawValue: try systemCall { openat(number, new, flags, 0o666) })
            empty.closeIgnoringErrors()
            _ = try systemCall { renameat(number, old, number, new) }
        }
    }
}
