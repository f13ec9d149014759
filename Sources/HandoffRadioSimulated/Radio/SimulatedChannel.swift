import AsyncSupport
import Epoll
package import HandoffRadio
private import Synchronization
private import SystemPackage

/// A channel between two stations: a connected Unix socket, slowed down and cut as the air says.
///
/// What `send(_:)` has taken goes out at the pace of the air; what has not gone when the channel closes is lost.
package final class SimulatedChannel: RadioChannel {
    package let peer: RadioAddress
    package let maximumMessageLength: Int

    private let socket: ReactorDescriptor
    private let station: Station
    private let peerName: String
    private let peerID: StationID
    private let credits = CountingSemaphore(8)
    private let outgoing: AsyncStream<[UInt8]>
    private let outbox: AsyncStream<[UInt8]>.Continuation
    private let end = Mutex<RadioError?>(nil)

    /// A channel over a connected socket to the peer that greeted so.
    init(_ socket: ReactorDescriptor, of station: Station, with peer: ConnectMessage) {
        self.peer = peer.address.radioAddress
        maximumMessageLength = peer.maximumMessageLength
        self.socket = socket
        self.station = station
        peerName = peer.name
        peerID = peer.station
        // Bounded by the credits.
        (outgoing, outbox) = AsyncStream.makeStream()
        // Little more than one message, or the kernel's memory would be kinder than the air.
        try? socket.perform { descriptor throws(Errno) in
            try UnixSocket.setSendBuffer(descriptor, to: 16_384)
        }
    }

    package func send(_ message: [UInt8]) async throws(RadioError) {
        guard (1...maximumMessageLength).contains(message.count) else {
            throw RadioError(.messageTooLong, "A message here has 1 to \(maximumMessageLength) bytes.")
        }
        do {
            try await credits.acquire()
        } catch {
            close()
            throw ending
        }
        outbox.yield(message)
    }

    package func receive() async throws(RadioError) -> [UInt8]? {
        while true {
            let packet = try await packet()
            guard !packet.isEmpty else { return try await ended() }
            if let timed = Packet(packet) { return try await arrived(timed) }
        }
    }

    /// Keeps the channel open, and its outgoing messages moving, while `body` runs.
    ///
    /// - Throws: what `body` throws.
    func whileOpen<Success: Sendable>(_ body: () async throws -> Success) async throws -> Success {
        defer { close() }
        return try await withBackgroundTasks([transmit, supervise], body: body)
    }

    /// Closes this end; what was not sent yet is lost.
    func close() {
        finish(RadioError(.channelClosed, "This end of the channel is closed."))
    }

    /// Why the channel cannot be used any more.
    private var ending: RadioError {
        end.withLock { $0 } ?? RadioError(.channelClosed, "The channel is closed.")
    }

    /// Ends the channel, once.
    private func finish(_ reason: RadioError) {
        end.withLock { end in
            if end == nil { end = reason }
        }
        credits.close()
        outbox.finish()
        socket.close()
    }

    private func linkLost() {
        finish(RadioError(.channelClosed, "The link to \(peer) was lost."))
    }

    private func packet() async throws(RadioError) -> [UInt8] {
        while true {
            if let end = end.withLock({ $0 }) { throw end }
            do throws(Errno) {
                return try await socket.whenReady(for: .reading) { descriptor throws(Errno) in
                    try UnixSocket.receive(atMost: Packet.maximumLength, from: descriptor)
                }
            } catch .connectionReset {
                // The peer closed and left something unread (unix(7)); what it sent can still be read.
                continue
            } catch {
                close()
                throw ending
            }
        }
    }

    private func arrived(_ timed: Packet) async throws(RadioError) -> [UInt8] {
        do {
            try await timed.due.wait()
            return timed.message
        } catch {
            close()
            throw ending
        }
    }

    /// The peer's socket is closed: nil when the peer did that, an error when it was an accident.
    private func ended() async throws(RadioError) -> [UInt8]? {
        // The end may have arrived before the news of what caused it.
        station.readAir()
        guard !isReachable || station.directory.status(of: peerID) == .crashed else { return nil }
        try? await Task.sleep(for: station.air.value.supervisionTimeout)
        linkLost()
        throw ending
    }
}

// MARK: - What runs beside the channel's user

extension SimulatedChannel {
    private var isReachable: Bool { station.link(to: peerName) != nil }

    /// Sends what the user gave to ``send(_:)``, at the pace of the air, until the task is cancelled.
    @Sendable private func transmit() async {
        var free = Instant.now
        for await message in outgoing {
            free = max(free, .now) + airTime(of: message)
            guard (try? await free.wait()) != nil, await waitUntilReachable() else { return }
            let timed = Packet(due: .now + station.air.value.delay, message: message)
            let sent: Void? = try? await socket.whenReady(for: .writing) { descriptor throws(Errno) in
                try UnixSocket.send(timed.bytes, on: descriptor)
            }
            // A peer that has closed is noticed here or by who receives, whatever comes first.
            guard sent != nil else { return credits.close() }
            credits.release()
        }
    }

    /// How long a message occupies the link, with every time it has to be sent again.
    private func airTime(of message: [UInt8]) -> Duration {
        let air = station.air.value
        var time = Duration.seconds(1) * message.count / air.bandwidth
        while station.randomness.bool(probability: air.loss) {
            // At the next connection event: 30 to 50 ms (net/bluetooth/hci_core.c, le_conn_min_interval and max).
            time += station.randomness.duration(in: .milliseconds(30) ... .milliseconds(50))
        }
        return time
    }

    /// Waits until the peer is within reach; false when the task is cancelled.
    private func waitUntilReachable() async -> Bool {
        for await air in station.air.values() where air.link(from: station.name, to: peerName) != nil {
            return true
        }
        return false
    }

    /// Ends the channel when the peer is out of reach for the supervision time-out, until the task is cancelled.
    @Sendable private func supervise() async {
        for await air in station.air.values() where air.link(from: station.name, to: peerName) == nil {
            guard (try? await Task.sleep(for: air.supervisionTimeout)) != nil else { return }
            if !isReachable { return linkLost() }
        }
    }
}
