import AsyncSupport
import Bluetooth
import Epoll
import HandoffRadio
private import SystemPackage

/// An advertisement on the air: sends reports to every scan socket, and listens for dials.
final class Advertiser: Sendable {
    let address: BluetoothAddress
    private let listeningSocket: ReactorDescriptor
    private let advertisement: Advertisement
    private let station: Station
    private let sendSocket: Descriptor

    private var socketFile: StationFile { .channelSocket(station.id, address: address) }

    /// Opens the listening socket, under a new address.
    ///
    /// - Throws: ``RadioError`` with `advertisingRefused`.
    init(_ advertisement: Advertisement, of station: Station) throws(RadioError) {
        self.advertisement = advertisement
        self.station = station
        address = .random(from: station.randomness)
        do throws(Errno) {
            sendSocket = try UnixSocket.open(.datagram)
            listeningSocket = try station.open(.channelSocket(station.id, address: address), .channel)
        } catch {
            throw RadioError(.advertisingRefused, "The simulated air rejected the advertisement: \(error).")
        }
    }

    /// Repeats the advertisement until the task is cancelled.
    @Sendable func run() async {
        while (try? await sleep(for: interval)) != nil {
            transmit()
        }
    }

    /// Performs one advertising event: one report to every scan socket in reach, each lost or not independently.
    func transmit() {
        let air = station.air.value
        for case .scanSocket(let listener, let name, let number) in station.directory.files()
        where listener != station.id {
            guard let link = air.link(from: station.name, to: name), !station.randomness.bool(probability: link.loss)
            else {
                continue
            }
            let scanSocket = StationFile.scanSocket(listener, name: name, number: number)
            do throws(Errno) {
                let path = station.directory.socketPath(scanSocket)
                try UnixSocket.send(report(over: link).bytes, on: sendSocket.rawValue, to: path)
            } catch .connectionRefused {
                // That socket is not open any more (unix(7)).
                station.directory.sweep()
            } catch {
                // A full scan socket misses a report, as a busy receiver does.
                continue
            }
        }
    }

    /// Returns the next connection to this advertisement; nil when the task is cancelled or the radio has ended.
    func acceptConnection() async -> ReactorDescriptor? {
        let reactor = station.reactor
        while true {
            do throws(Errno) {
                return try await listeningSocket.whenReady(for: .reading) { descriptor throws(Errno) in
                    try ReactorDescriptor(UnixSocket.accept(descriptor), on: reactor)
                }
            } catch .canceled, .badFileDescriptor {
                return nil
            } catch {
                // For example, the process is out of descriptors; the caller stays in the backlog.
                guard (try? await sleep(for: .milliseconds(100))) != nil else { return nil }
            }
        }
    }

    func close() {
        station.directory.remove(socketFile)
        listeningSocket.close()
    }

    /// The advertising interval and the random delay that keeps two advertisers from colliding repeatedly.
    ///
    /// Bluetooth Core, Vol 6, Part B, 4.4.2.2.1: advDelay is 0 to 10 ms.
    private var interval: Duration {
        let interval: Duration =
            switch advertisement.pace {
            case .fast: .microseconds(152_500)
            case .relaxed: .microseconds(417_500)
            }
        return interval + station.randomness.duration(in: .zero ... .milliseconds(10))
    }

    private func report(over link: Air.Link) -> AdvertisementPacket {
        AdvertisementPacket(
            sender: station.id,
            senderName: station.name,
            address: address,
            rssi: link.rssi,
            due: .now + link.delay,
            service: advertisement.service,
            data: advertisement.data
        )
    }
}
