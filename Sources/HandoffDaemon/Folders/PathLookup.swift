import Epoll
private import Glibc
import Synchronization
import SystemPackage

/// Resolves paths, without blocking on a file system that does not answer.
///
/// A synchronised folder may be on a network drive; a disconnected one blocks its callers for minutes or indefinitely.
/// After a timeout, a path and those below it are not looked up again until the first lookup has returned.
final class PathLookup: Sendable {
    /// The shared instance, which uses realpath(3).
    static let system = PathLookup { path in
        guard let resolved = path.withPlatformString({ realpath($0, nil) }) else { return nil }
        defer { free(resolved) }
        return FilePath(platformString: resolved)
    }

    private struct Lookup {
        let path: FilePath
        /// Whether the caller has timed out.
        var isLate = false
    }

    private struct State {
        var lookups: [UInt64: Lookup] = [:]
        var last: UInt64 = 0

        var late: [FilePath] { lookups.values.filter(\.isLate).map(\.path) }
    }

    /// The maximum number of blocked threads; at this number all lookups fail until one of the threads has ended.
    static let maximumPending = 32

    private let limit: Duration
    private let resolve: @Sendable (FilePath) -> FilePath?
    private let state = Mutex(State())

    /// - Parameters:
    ///   - limit: how long to wait for an answer.
    ///   - resolve: resolves a path; may block.
    init(limit: Duration = .seconds(2), _ resolve: @escaping @Sendable (FilePath) -> FilePath?) {
        self.limit = limit
        self.resolve = resolve
    }

    /// The path with all symbolic links and dots resolved; nil if it does not exist.
    ///
    /// - Throws: ``FolderError`` with `unresponsive` if the file system does not answer, or if there are no threads or
    ///   file descriptors left for the lookup.
    func canonical(_ path: FilePath) throws(FolderError) -> FilePath? {
        guard let number = startLookup(path) else { throw Self.unresponsiveError(path) }
        let answer: FilePath??
        do throws(Errno) {
            answer = try BlockingThread.value(within: limit) { [self] in
                let found = resolve(path)
                state.withLock { $0.lookups[number] = nil }
                return found
            }
        } catch {
            state.withLock { $0.lookups[number] = nil }
            throw FolderError(.unresponsive, "\(path) cannot be looked up (\(error)).")
        }
        guard let answer else {
            // The answer may have arrived just now; then there is no entry to mark.
            state.withLock { $0.lookups[number]?.isLate = true }
            throw Self.unresponsiveError(path)
        }
        return answer
    }

    /// Registers a lookup and returns its number; nil if it would block.
    private func startLookup(_ path: FilePath) -> UInt64? {
        state.withLock { state in
            let late = state.late
            guard late.count < Self.maximumPending, !late.contains(where: { path.starts(with: $0) }) else { return nil }
            state.last += 1
            state.lookups[state.last] = Lookup(path: path)
            return state.last
        }
    }

    private static func unresponsiveError(_ path: FilePath) -> FolderError {
        FolderError(
            .unresponsive,
            "\(path) is on a file system that does not answer; is it on a network drive that is not connected?"
        )
    }
}
