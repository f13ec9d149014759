import Epoll
import HandoffRadio
import SystemPackage

/// A socket to which the stations in reach send their reports while it exists.
final class ScanSocket: Sendable {
    private let station: Station
    private let file: StationFile
    private let socket: ReactorDescriptor

    /// - Throws: ``RadioError`` with `scanningRefused`.
    init(of station: Station) throws(RadioError) {
        self.station = station
        file = station.nextScanSocket()
        do throws(Errno) {
            socket = try station.open(file, .datagram)
        } catch {
            throw RadioError(.scanningRefused, "Cannot scan the simulated air: \(error).")
        }
    }

    /// Returns the next report, which may not be due yet; nil when the task is cancelled or the radio has ended.
    func report() async -> AdvertisementPacket? {
        while true {
            let datagram = try? await socket.whenReady(for: .reading) { descriptor throws(Errno) in
                try UnixSocket.receive(atMost: AdvertisementPacket.maximumLength, from: descriptor)
            }
            guard let datagram else { return nil }
            if let report = AdvertisementPacket(datagram) { return report }
        }
    }

    func close() {
        station.directory.remove(file)
        socket.close()
    }
}
