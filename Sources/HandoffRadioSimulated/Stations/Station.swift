import AsyncSupport
import Epoll
private import Synchronization
import SystemPackage

/// A station on the air: the state of a ``SimulatedRadio`` while it runs.
final class Station: Sendable {
    let name: String
    let directory: AirDirectory
    let reactor: Reactor
    let air: CurrentValue<Air>
    let randomness: Randomness
    private let lock: StationLock
    private let lastScanSocket = Mutex(0)
    /// Held while the rules are read and applied, so that older rules never replace newer ones.
    private let reading = Mutex(())

    var id: StationID { lock.station }

    /// Joins the air in `directory`, and removes the files of dead stations.
    ///
    /// - Throws: `Errno` when no file can be created in the directory.
    init(name: String, directory: AirDirectory, air: Air, reactor: Reactor) throws(Errno) {
        directory.sweep()
        lock = try StationLock(in: directory)
        self.name = name
        self.directory = directory
        self.reactor = reactor
        self.air = CurrentValue(air)
        randomness = Randomness(seed: air.seed, station: name)
    }

    /// Returns the current link from this station to another, or nil when they do not reach each other.
    func link(to other: String) -> Air.Link? {
        air.value.link(from: name, to: other)
    }

    /// Reads the rules of the air again; returns nil, or the error in them, and then the old rules remain.
    @discardableResult
    func readAir() -> AirTextError? {
        reading.withLock { _ in
            do throws(AirTextError) {
                let now = try directory.air()
                // It wakes the tasks that watch the air only when it differs.
                air.update(now)
                return nil
            } catch {
                return error
            }
        }
    }

    /// Opens a socket of this station at the path of `file`; a socket for channels listens.
    func open(_ file: StationFile, _ kind: UnixSocket.Kind) throws(Errno) -> ReactorDescriptor {
        let descriptor = try UnixSocket.open(kind)
        try UnixSocket.bind(descriptor.rawValue, to: directory.socketPath(file))
        if kind == .channel { try UnixSocket.listen(descriptor.rawValue, backlog: 16) }
        return try ReactorDescriptor(descriptor, on: reactor)
    }

    /// Returns the file for another scan socket of this station.
    func nextScanSocket() -> StationFile {
        let number = lastScanSocket.withLock { last in
            last += 1
            return last
        }
        return .scanSocket(id, name: name, number: number)
    }
}
