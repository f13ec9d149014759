import AsyncSupport
import Epoll
import FoundationEssentials
import Glibc
package import HandoffCore
package import SystemPackage

/// The file that keeps what sites have answered: `handoff/associations` in the user's cache directory.
///
/// It may be removed at any time: then the sites are asked again.
package struct SiteCache: Sendable {
    private let directory: FilePath
    private var file: FilePath { directory.appending("associations") }

    /// 1 MiB: more than the records of the most sites.
    private static let maximumBytes = 1 << 20
    private static let version = 1

    private struct Contents: Codable {
        var version: Int
        var sites: [SiteRecord]
    }

    /// - Parameter directory: the directory of the file, which need not exist.
    package init(in directory: FilePath) {
        self.directory = directory
    }

    /// The cache of the user; nil when the environment tells no directory for it.
    package init?(environment: [String: String]) {
        if let base = environment["XDG_CACHE_HOME"], base.hasPrefix("/") {
            self.init(in: FilePath(base).appending("handoff"))
        } else if let home = environment["HOME"], home.hasPrefix("/") {
            self.init(in: FilePath(home).appending(".cache/handoff"))
        } else {
            return nil
        }
    }

    /// Reads the file; empty when it does not exist, and nil when it is damaged, cannot be read or is of another
    /// version.
    package func read() -> [SiteRecord]? {
        let descriptor = open(file.string, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
        guard descriptor >= 0 else { return errno == ENOENT ? [] : nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = Glibc.read(descriptor, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0, bytes.count + count <= Self.maximumBytes else { return nil }
            if count == 0 { return Self.records(in: bytes) }
            bytes.append(contentsOf: piece[..<count])
        }
    }

    /// The records in the bytes of a file; nil if they are damaged or of another version.
    package static func records(in bytes: [UInt8]) -> [SiteRecord]? {
        let contents = try? JSONDecoder().decode(Contents.self, from: Data(bytes))
        guard let contents, contents.version == version, contents.sites.count <= SiteAssociations.maximumSites else {
            return nil
        }
        return contents.sites
    }

    /// Replaces the file, readable for the user only, on a thread of its own.
    ///
    /// - Returns: false when it cannot be written.
    package func write(_ records: [SiteRecord]) async -> Bool {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
        guard let data = try? encoder.encode(Contents(version: Self.version, sites: records)) else { return false }
        let isWritten = Promise<Bool>()
        guard (try? BlockingThread { isWritten.fulfil(writeNow(Array(data))) }) != nil else { return false }
        return await isWritten.valueIgnoringCancellation()
    }

    private func writeNow(_ bytes: [UInt8]) -> Bool {
        // The directory for caches may be missing, too; that above it is the user's home.
        for path in [directory.removingLastComponent(), directory] { mkdir(path.string, 0o700) }
        let draft = directory.appending(".associations.new")
        let flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        let descriptor = open(draft.string, flags, 0o600)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        let isWritten: Void? = try? writeAll(bytes[...], to: descriptor)
        return isWritten != nil && rename(draft.string, file.string) == 0
    }
}
