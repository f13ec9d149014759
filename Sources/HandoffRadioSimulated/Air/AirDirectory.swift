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

    /// Opens the directory, and makes it where it does not exist yet.
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

    /// The rules as the file has them now; calm air when there is no file.
    func air() throws(AirTextError) -> Air {
        guard let file = try? Descriptor(opening: { open(path + "/" + Self.airFile, O_RDONLY | O_CLOEXEC) }) else {
            return Air()
        }
        // A page and more; nobody writes so many rules.
        let capacity = 1 << 16
        var bytes = [UInt8](repeating: 0, count: capacity)
        let count = (try? systemCall { read(file.rawValue, &bytes, capacity) }) ?? 0
        return try Air(text: String(decoding: bytes.prefix(count), as: UTF8.self))
    }

    /// The files of all stations, the living and the dead.
    func files() -> [StationFile] {
        // A second description of the directory, for reading moves a position.
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

    /// A path to that file that fits a socket address, however long the directory's own is (proc(5), `/proc/self/fd`).
    func socketPath(_ file: StationFile) -> String {
        "/proc/self/fd/\(stations.rawValue)/\(file.fileName)"
    }

    func remove(_ file: StationFile) {
        _ = unlinkat(stations.rawValue, file.fileName, 0)
    }

    /// Makes the file that tells that a station lives, and holds it locked until the descriptor is closed.
    ///
    /// - Throws: `EEXIST` or `EAGAIN` when the name is taken, or somebody is just looking at it: choose another.
    func acquireLock(_ station: StationID) throws(Errno) -> Descriptor {
        let name = StationFile.lock(station).fileName
        let flags = O_CREAT | O_EXCL | O_CLOEXEC | O_RDWR
        let lock = try Descriptor { openat(stations.rawValue, name, flags, 0o600) }
        _ = try systemCall { flock(lock.rawValue, LOCK_EX | LOCK_NB) }
        // Between the two somebody may have taken it for a dead station's and removed it.
        var status = stat()
        _ = try systemCall { fstat(lock.rawValue, &status) }
        guard status.st_nlink > 0 else { throw .wouldBlock }
        return lock
    }

    /// Whether a station lives, has left in order, or has crashed.
    func status(of station: StationID) -> StationStatus {
        let name = StationFile.lock(station).fileName
        guard let lock = try? Descriptor(opening: { openat(stations.rawValue, name, O_RDONLY | O_CLOEXEC) }) else {
            return .departed
        }
        // The lock of a dead process is gone (flock(2)); a shared one, so that two who look do not deceive each other.
        return (try? systemCall { flock(lock.rawValue, LOCK_SH | LOCK_NB) }) == nil ? .alive : .crashed
    }

    /// Removes the files of stations that are dead.
    func sweep() {
        for (station, files) in Dictionary(grouping: files(), by: \.station) where status(of: station) != .alive {
            // The life goes last: while it is there, somebody who comes after a crash of this sweep finds the rest.
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
    /// What became of a station.
    enum StationStatus: Hashable, Sendable {
        case alive
        case departed
        case crashed
    }
}
