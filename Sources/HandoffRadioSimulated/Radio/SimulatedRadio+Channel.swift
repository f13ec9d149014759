import AsyncSupport
package import Bluetooth
import Epoll
package import HandoffRadio
private import SystemPackage

extension SimulatedRadio {
    package func withChannel<Success: Sendable>(
        to address: RadioAddress,
        port: LEPSM,
        timeout: Duration,
        _ body: (SimulatedChannel) async throws -> Success
    ) async throws -> Success {
        try await whileAvailable { station in
            let silence = RadioError(.timedOut, "\(address) did not answer within \(timeout); is it near and awake?")
            let channel = try await withTimeout(timeout, throwing: silence) {
                try await dialling.withPermit { try await dial(address, port, from: station) }
            }
            return try await channel.whileOpen { try await body(channel) }
        }
    }

    /// Waits for the advertisement of `address` and connects, as a controller does (Bluetooth Core, Vol 6, Part B,
    /// 4.4.4).
    private func dial(
        _ address: RadioAddress,
        _ port: LEPSM,
        from station: Station
    ) async throws -> SimulatedChannel {
        let scanSocket = try ScanSocket(of: station)
        defer { scanSocket.close() }
        while let report = await scanSocket.report() {
            guard RadioAddress(report.address) == address else { continue }
            try await report.due.wait()
            if let channel = try await requestChannel(at: report, port, from: station) { return channel }
        }
        throw CancellationError()
    }

    /// Requests a channel; returns nil without an answer this time.
    private func requestChannel(
        at report: AdvertisementPacket,
        _ port: LEPSM,
        from station: Station
    ) async throws -> SimulatedChannel? {
        guard let link = station.link(to: report.senderName), let socket = connect(to: report, from: station) else {
            return nil
        }
        try await sleep(for: link.delay)
        let request = ConnectMessage(
            station: station.id,
            name: station.name,
            address: .random(from: station.randomness),
            maximumMessageLength: station.air.value.maximumMessageLength,
            port: port
        )
        // Longer than the other side may take on a busy machine: giving up would leave it with an unused channel.
        guard request.send(on: socket), let answer = await ConnectMessage.receive(on: socket, within: .seconds(10))
        else {
            return nil
        }
        guard answer.port == port else {
            throw RadioError(.refused, "\(report.address) does not listen on port \(port).")
        }
        return SimulatedChannel(socket, of: station, with: answer)
    }

    private func connect(to report: AdvertisementPacket, from station: Station) -> ReactorDescriptor? {
        let listeningSocket = StationFile.channelSocket(report.sender, address: report.address)
        do throws(Errno) {
            let descriptor = try UnixSocket.open(.channel)
            try UnixSocket.connect(descriptor.rawValue, to: station.directory.socketPath(listeningSocket))
            return try ReactorDescriptor(descriptor, on: station.reactor)
        } catch {
            // The advertisement has just ended, or the backlog is full: there will be another report.
            return nil
        }
    }
}
