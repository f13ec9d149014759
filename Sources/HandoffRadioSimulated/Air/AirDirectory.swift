import Epoll
private import Glibc
import HandoffRadio
import SystemPackage

/// The directory that several stations share: a file `air` with the rules, and a directory `stations` with their files.
final class AirDirectory: Sendable {
    /// The name of the file with the rules.
    static let airFile = "air"

    let path: String
    private let stations: Descriptor

    /// Opens the directory, and creates it if it does not exist.
    ///
    /// - Throws: ``RadioError`` with `unusable`.
    init(path: String) throws(RadioError) {
        self.path = path
        do throws(Errno) {
            try Self.make(path)
            try Self.make(path + "/stations")
            let flags = O_DIRECTORY | O_CLOEXEC | O_RDONLY
            stations = try Descriptor { open(path + "/stations", flags) }
        } catch {
            throw RadioError(
                .unusable,
                "The simulated air in \(path) cannot be used (\(error)); choose another directory."
            )
        }
    }

    /// Reads the current rules; the default air when there is no file.
    func air() throws(AirTextError) -> Air {
        guard let file = try? Descriptor(opening: { open(path + "/" + Self.airFile, O_RDONLY | O_CLOEXEC) }) else {
            return Air()
        }
        // Larger than any realistic set of rules.
        let capacity = 1 << 16
        var bytes = [UInt8](repeating: 0, count: capacity)
        let count = (try? systemCall { read(file.rawValue, &bytes, capacity) }) ?? 0
        return try Air(text: String(decoding: bytes.prefix(count), as: UTF8.self))
    }

    /// Returns the files of all stations, including dead ones.
    func files() -> [StationFile] {
        // A second open file description of the directory, because reading moves its offset.
        let copy = openat(stations.rawValue, ".", O_DIRECTORY | O_CLOEXEC | O_RDONLY)
        guard copy >= 0, let stream = fdopendir(copy) else { return [] }
        defer { closedir(stream) }
        var files: [StationFile] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if let file = StationFile(fileName: name) { files.append(file) }
        }
        return files
    }

    /// Returns a path to that file that fits a socket address, however long the directory's own path is (proc(5),
    /// `/proc/self/fd`).
    func socketPath(_ file: StationFile) -> String {
        "/proc/self/fd/\(stations.rawValue)/\(file.fileName)"
    }

    func remove(_ file: StationFile) {
        _ = unlinkat(stations.rawValue, file.fileName, 0)
    }

    /// Creates the lock file of a live station, locked until the descriptor is closed.
    ///
    /// - Throws: `EEXIST` or `EAGAIN` when the name is taken or another process is examining the file: choose another
    ///   name.
    func acquireLock(_ station: StationID) throws(Errno) -> Descriptor {
        let name = StationFile.lock(station).fileName
        let flags = O_CREAT | O_EXCL | O_CLOEXEC | O_RDWR
        let lock = try Descriptor { openat(stations.rawValue, name, flags, 0o600) }
        _ = try systemCall { flock(lock.rawValue, LOCK_EX | LOCK_NB) }
        // Between the two calls another process may have taken it for a dead station's file and removed it.
        var status = stat()
        _ = try systemCall { fstat(lock.rawValue, &status) }
        guard status.st_nlink > 0 else { throw .wouldBlock }
        return lock
    }

    /// Whether a station is alive, has left regularly, or has crashed.
    func status(of station: StationID) -> StationStatus {
        let name = StationFile.lock(station).fileName
        guard let lock = try? Descriptor(opening: { openat(stations.rawValue, name, O_RDONLY | O_CLOEXEC) }) else {
            return .departed
        }
        // The lock of a dead process is released (flock(2)). The test uses a shared lock, so that two processes that
        // test at the same time do not mistake each other for the station.
        return (try? systemCall { flock(lock.rawValue, LOCK_SH | LOCK_NB) }) == nil ? .alive : .crashed
    }

    /// Removes the files of stations that are dead.
    func sweep() {
        for (station, files) in Dictionary(grouping: files(), by: \.station) where status(of: station) != .alive {
            // The lock file is removed last: while it exists, a later sweep finds the other files if this one crashes.
            for file in files where file != .lock(station) { remove(file) }
            remove(.lock(station))
        }
    }

    private static func make(_ path: String) throws(Errno) {
        do {
            _ = try systemCall { mkdir(path, 0o700) }
        } catch .fileExists {
            return
        }
    }
}

extension AirDirectory {
    /// The status of a station.
    enum StationStatus: Hashable, Sendable {
        case alive
        case departed
        case crashed
    }
}
