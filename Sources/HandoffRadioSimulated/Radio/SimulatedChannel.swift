import AsyncSupport
import Epoll
package import HandoffRadio
private import Synchronization
private import SystemPackage

/// A channel between two stations: a connected Unix socket, delayed and interrupted according to the air.
///
/// Messages accepted by `send(_:)` are transmitted at the bandwidth of the air; those still queued when the channel
/// closes are lost.
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

    /// Creates a channel over a connected socket to the peer that sent this connect message.
    init(_ socket: ReactorDescriptor, of station: Station, with peer: ConnectMessage) {
        self.peer = RadioAddress(peer.address)
        maximumMessageLength = peer.maximumMessageLength
        self.socket = socket
        self.station = station
        peerName = peer.name
        peerID = peer.station
        // Bounded by the credits.
        (outgoing, outbox) = AsyncStream.makeStream()
        // Little more than one message; otherwise the kernel would buffer more than a real link.
        try? socket.perform { descriptor throws(Errno) in
            try UnixSocket.setSendBuffer(descriptor, to: 16_384)
        }
    }

    package func send(_ message: [UInt8]) async throws(RadioError) {
        guard (1...maximumMessageLength).contains(message.count) else {
            throw RadioError(
                .messageTooLong,
                "A message on this channel has 1 to \(maximumMessageLength) bytes, got \(message.count)."
            )
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

    /// Keeps the channel open and transmits its outgoing messages while `body` runs.
    ///
    /// - Throws: what `body` throws.
    func whileOpen<Success: Sendable>(_ body: () async throws -> Success) async throws -> Success {
        defer { close() }
        return try await withBackgroundTasks([transmit, supervise], body: body)
    }

    /// Closes this end; queued messages are lost.
    func close() {
        finish(RadioError(.channelClosed, "This end of the channel is closed."))
    }

    /// The reason why the channel cannot be used any more.
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
                // The peer closed with unread data (unix(7)); what it sent can still be read.
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

    /// Handles the end of the peer's socket: returns nil if the peer closed it, throws if the link was lost.
    private func ended() async throws(RadioError) -> [UInt8]? {
        // The end may have arrived before the change of the air that caused it.
        station.readAir()
        guard !isReachable || station.directory.status(of: peerID) == .crashed else { return nil }
        try? await sleep(for: station.air.value.supervisionTimeout)
        linkLost()
        throw ending
    }
}

// MARK: - Background tasks of the channel

extension SimulatedChannel {
    private var isReachable: Bool { station.link(to: peerName) != nil }

    /// Transmits the messages given to ``send(_:)``, at the bandwidth of the air, until the task is cancelled.
    @Sendable private func transmit() async {
        var free = Instant.now
        for await message in outgoing {
            free = max(free, .now) + airTime(of: message)
            guard (try? await free.wait()) != nil, await waitUntilReachable() else { return }
            let timed = Packet(due: .now + station.air.value.delay, message: message)
            let sent: Void? = try? await socket.whenReady(for: .writing) { descriptor throws(Errno) in
                try UnixSocket.send(timed.bytes, on: descriptor)
            }
            // A peer that has closed is detected here or by the receiving task, whichever is first.
            guard sent != nil else { return credits.close() }
            credits.release()
        }
    }

    /// Returns how long a message occupies the link, including retransmissions.
    private func airTime(of message: [UInt8]) -> Duration {
        let air = station.air.value
        var time = Duration.seconds(1) * message.count / air.bandwidth
        while station.randomness.bool(probability: air.loss) {
            // At the next connection event: 30 to 50 ms (net/bluetooth/hci_core.c, le_conn_min_interval and max).
            time += station.randomness.duration(in: .milliseconds(30) ... .milliseconds(50))
        }
        return time
    }

    /// Waits until the peer is within reach; returns false when the task is cancelled.
    private func waitUntilReachable() async -> Bool {
        for await air in station.air.values() where air.link(from: station.name, to: peerName) != nil {
            return true
        }
        return false
    }

    /// Ends the channel when the peer is out of reach for the supervision time-out, until the task is cancelled.
    @Sendable private func supervise() async {
        for await air in station.air.values() where air.link(from: station.name, to: peerName) == nil {
            guard (try? await sleep(for: air.supervisionTimeout)) != nil else { return }
            if !isReachable { return linkLost() }
        }
    }
}
