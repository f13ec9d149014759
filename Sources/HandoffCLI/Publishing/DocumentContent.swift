private import Crypto
import Epoll
private import Glibc
import HandoffBus
import HandoffModel
import SystemPackage

/// What the document of an activity has in it, by which another device knows that it has the same, whatever time a
/// synchroniser has given to it (Docs/Adopting.md, "Documents that are older").
struct DocumentContent: Hashable, Sendable {
    /// The largest file whose digest is told: as large as unsaved text can be, and read within a tenth of a second.
    static let maximumBytes = 16 * 1024 * 1024
    /// How long the file may take to be read: a device waits for what is told with it.
    private static let limit = Duration.milliseconds(500)

    private enum Key {
        static let time = "modificationTime"
        static let size = "documentSize"
        static let digest = "documentSHA256"
    }

    /// In bytes.
    let size: Int
    /// SHA-256, in hexadecimal digits.
    let digest: String

    /// Returns the activity with what its document has in it, if its program tells the time of the document, and nothing
    /// of its content; else as it is.
    static func added(to draft: ActivityDraft) -> ActivityDraft {
        let told = draft.properties.userInfo
        guard told[Key.time] != nil, told[Key.size] == nil, told[Key.digest] == nil,
            let url = draft.properties.documentURL, let file = (try? FileURL(url)) ?? nil,
            let content = DocumentContent(of: file.path)
        else { return draft }
        var draft = draft
        draft.properties.userInfo[Key.size] = .integer(Int64(content.size))
        draft.properties.userInfo[Key.digest] = .string(content.digest)
        return draft
    }

    /// Reads a file; nil for one that is larger than ``maximumBytes``, is no regular file, or cannot be read in time.
    init?(of path: [UInt8]) {
        guard let content = try? BlockingThread.value(within: Self.limit, of: { Self.read(path) }), let content else {
            return nil
        }
        self = content
    }

    private init(size: Int, digest: String) {
        (self.size, self.digest) = (size, digest)
    }

    private static func read(_ path: [UInt8]) -> DocumentContent? {
        let name = path.map { CChar(bitPattern: $0) } + [0]
        guard let file = try? Descriptor(opening: { open(name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) }) else {
            return nil
        }
        var status = stat()
        guard fstat(file.rawValue, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= maximumBytes
        else {
            return nil
        }
        var (hash, size) = (SHA256(), 0)
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        while size <= maximumBytes {
            guard let count = try? systemCall({ Glibc.read(file.rawValue, &buffer, buffer.count) }) else { return nil }
            guard count > 0 else {
                let digest = hash.finalize().flatMap { byte in [byte >> 4, byte & 0xF].map { String($0, radix: 16) } }
                return DocumentContent(size: size, digest: digest.joined())
            }
            hash.update(data: buffer[..<count])
            size += count
        }
        return nil
    }
}
