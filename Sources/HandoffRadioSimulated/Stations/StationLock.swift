import Epoll
import SystemPackage

/// The locked file that tells everybody that a station lives; it goes with the station.
final class StationLock: Sendable {
    let station: StationID
    private let directory: AirDirectory
    private let lock: Descriptor

    /// Takes an identity that nobody has.
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
