import Epoll
private import Glibc
import Synchronization
import SystemPackage

/// Finds out where paths lead, and waits for no file system that does not answer.
///
/// A synchronised folder may be on a network drive; one that is gone blocks whoever asks it, for minutes or for good. What
/// was asked once in vain is not asked again before it has answered.
final class PathLookup: Sendable {
    /// The lookup of this system.
    static let system = PathLookup { path in
        guard let resolved = path.withPlatformString({ realpath($0, nil) }) else { return nil }
        defer { free(resolved) }
        return FilePath(platformString: resolved)
    }

    private struct Lookup {
        let path: FilePath
        /// Whether nobody waits for the answer any more.
        var isLate = false
    }

    private struct State {
        var lookups: [UInt64: Lookup] = [:]
        var last: UInt64 = 0

        var late: [FilePath] { lookups.values.filter(\.isLate).map(\.path) }
    }

    /// How many threads may be left behind; then nothing is asked any more until one of them has ended.
    static let maximumPending = 32

    private let limit: Duration
    private let resolve: @Sendable (FilePath) -> FilePath?
    private let state = Mutex(State())

    /// - Parameters:
    ///   - limit: how long to wait for an answer.
    ///   - resolve: asks the system.
    init(limit: Duration = .seconds(2), _ resolve: @escaping @Sendable (FilePath) -> FilePath?) {
        self.limit = limit
        self.resolve = resolve
    }

    /// Where the path leads through all links and dots; nil where it leads nowhere.
    ///
    /// - Throws: ``FolderError`` with `unresponsive` when the file system does not say, or cannot be asked for want of threads or
    ///   descriptors.
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
            // It may have answered just now; then nothing is late.
            state.withLock { $0.lookups[number]?.isLate = true }
            throw Self.unresponsiveError(path)
        }
        return answer
    }

    /// The number of a new question; nil when it would not be answered.
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
