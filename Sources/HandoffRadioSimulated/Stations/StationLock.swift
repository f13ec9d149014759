import Epoll
import SystemPackage

/// The locked file that shows that a station is alive; it is removed with the station.
final class StationLock: Sendable {
    let station: StationID
    private let directory: AirDirectory
    private let lock: Descriptor

    /// Locks a station identifier that is not in use.
    init(in directory: AirDirectory) throws(Errno) {
        self.directory = directory
        var candidate = StationID.random()
        while true {
            do throws(Errno) {
                lock = try directory.acquireLock(candidate)
                station = candidate
                return
            } catch .fileExists, .wouldBlock {
                candidate = .random()
            }
        }
    }

    deinit {
        directory.remove(.lock(station))
    }
}
