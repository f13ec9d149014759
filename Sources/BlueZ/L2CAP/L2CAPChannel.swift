package import Bluetooth
package import Epoll
private import Synchronization
import SystemPackage

/// An open LE credit-based channel: messages in order, in both directions, with the kernel's flow control.
///
/// At most one task sends and one receives at a time. Closing discards what the kernel has not sent yet, and
/// half-closing is not possible (net/bluetooth/l2cap_core.c, `l2cap_chan_del`): protocols have to end with their own
/// acknowledgement.
package final class L2CAPChannel: Sendable {
    /// The peer's endpoint, if the kernel reports it.
    package let peer: L2CAPEndpoint?

    /// The maximum length of a message for ``send(_:)`` in bytes: what the peer accepts, but at most
    /// ``longestMessage``.
    package let sendMTU: Int

    /// The length of a message that this end accepts unless told otherwise, and of the longest that it sends, in bytes.
    ///
    /// The receiving kernel grants credits for one message of this length, or more (net/bluetooth/l2cap_core.c,
    /// `l2cap_le_rx_credits`): with its default of 672 the peer waits after each 672 bytes. Half a piece of a stream fits
    /// exactly. Longer messages would be faster still, but:
    ///
    /// - The kernel queues a message as a whole or not at all, and reports room when half of the send buffer is free. One
    ///   of this length has 181 packets of 23 bytes, the shortest that there are, each of which counts as 768 bytes:
    ///   together less than half of `L2CAPSocket.bufferBytes` as the kernel counts it.
    /// - Credits for several messages let the kernel change their order (Docs/BlueZ.md).
    package static let longestMessage: UInt16 = 4160

    /// How many bytes ``receiveAvailable()`` returns at most.
    package static let burstBytes = 32 * 1024

    private let socket: ReactorDescriptor
    private let receiveMTU: Int
    /// What ends a burst after its first message; the next call returns or throws it, since the kernel tells it once.
    private let endOfBurst = Mutex<Result<[UInt8], Errno>?>(nil)

    /// Opens a channel; it is closed by ``close()`` or when the last reference to it is released.
    ///
    /// bluetoothd keeps the underlying link up after that; to drop it, ask bluetoothd to disconnect.
    ///
    /// - Parameters:
    ///   - adapter: the local adapter to use; ``BluetoothAddress/any`` lets the kernel choose.
    ///   - receiveMTU: the maximum length of a message that this end accepts in bytes, 23…65535.
    ///   - timeout: the time limit for connecting, enforced by the kernel.
    /// - Throws: ``L2CAPError``; `cancelled` when the task was cancelled; then no channel remains open.
    package static func connect(
        to peer: L2CAPEndpoint,
        from adapter: BluetoothAddress = .any,
        receiveMTU: UInt16 = longestMessage,
        timeout: Duration,
        on reactor: Reactor
    ) async throws(L2CAPError) -> L2CAPChannel {
        let began = ContinuousClock.now
        do throws(Errno) {
            let socket = try L2CAPSocket()
            try socket.setLowSecurity()
            try socket.bind(to: adapter, nil)
            try socket.setReceiveMTU(receiveMTU)
            try L2CAPSystemCalls.setBuffers(L2CAPSocket.bufferBytes, on: socket.descriptor.rawValue)
            try socket.setConnectTimeout(timeout)
            try socket.beginConnect(to: peer)
            let descriptor = try ReactorDescriptor(socket.descriptor, on: reactor)
            return try await connected(descriptor, to: peer)
        } catch {
            throw L2CAPError(error, connectingFor: began.duration(to: .now), limit: timeout)
        }
    }

    /// Waits for the completion of a connect(2) that has begun.
    private static func connected(
        _ descriptor: ReactorDescriptor,
        to peer: L2CAPEndpoint
    ) async throws(Errno) -> L2CAPChannel {
        // The socket is not writable before it is connected or has failed (net/bluetooth/af_bluetooth.c, bt_sock_poll).
        try await descriptor.ready(for: .writing)
        if let error = try descriptor.perform(L2CAPSystemCalls.pendingError) { throw error }
        return try L2CAPChannel(descriptor, to: peer)
    }

    /// Creates a channel over a connected socket.
    convenience init(_ socket: ReactorDescriptor, to peer: L2CAPEndpoint?) throws(Errno) {
        let sendMTU = try socket.perform(L2CAPSystemCalls.sendMTU)
        let receiveMTU = try socket.perform(L2CAPSystemCalls.receiveMTU)
        self.init(socket, to: peer, sendMTU: Int(sendMTU), receiveMTU: Int(receiveMTU))
    }

    /// Creates a channel over a connected socket of any family that preserves message boundaries.
    init(_ socket: ReactorDescriptor, to peer: L2CAPEndpoint?, sendMTU: Int, receiveMTU: Int) {
        self.socket = socket
        self.peer = peer
        self.sendMTU = min(sendMTU, Int(Self.longestMessage))
        self.receiveMTU = receiveMTU
    }

    /// Sends one message of 1…``sendMTU`` bytes, waiting while the peer has not granted credits.
    ///
    /// - Throws: ``L2CAPError``; after `cancelled` the channel is closed.
    package func send(_ message: [UInt8]) async throws(L2CAPError) {
        guard (1...max(1, sendMTU)).contains(message.count) else {
            throw L2CAPError(
                .messageTooLong,
                "Invalid message length: \(message.count) bytes, this channel sends 1 to \(sendMTU)."
            )
        }
        try await transfer(.writing) { descriptor throws(Errno) in
            try L2CAPSystemCalls.send(message, on: descriptor)
        }
    }

    /// Returns the next message, or nil when the peer has closed the channel.
    ///
    /// - Throws: ``L2CAPError``, `connectionLost` when the link was lost; after `cancelled` the channel is closed.
    package func receive() async throws(L2CAPError) -> [UInt8]? {
        let message = try await transfer(.reading, receiveNow)
        return message.isEmpty ? nil : message
    }

    /// Returns the messages that have arrived, one after the other, or nil when the peer has closed the channel; waits for
    /// the first.
    ///
    /// The bytes are at most ``burstBytes``, or one message. A reader that is slower than the peer takes more of them at a
    /// time, and less often: a kernel whose buffer is full may change the order of messages when one is taken while the
    /// next arrives (Docs/BlueZ.md).
    ///
    /// - Throws: as ``receive()``.
    package func receiveAvailable() async throws(L2CAPError) -> [UInt8]? {
        let (limit, longest) = (Self.burstBytes, receiveMTU)
        let bytes = try await transfer(.reading) { descriptor throws(Errno) in
            var bytes = try receiveNow(descriptor)
            while !bytes.isEmpty, bytes.count + longest <= limit {
                do throws(Errno) {
                    let next = try L2CAPSystemCalls.receive(atMost: longest, on: descriptor)
                    guard !next.isEmpty else {
                        endOfBurst.withLock { $0 = .success([]) }
                        break
                    }
                    bytes += next
                } catch {
                    if error != .wouldBlock { endOfBurst.withLock { $0 = .failure(error) } }
                    break
                }
            }
            return bytes
        }
        return bytes.isEmpty ? nil : bytes
    }

    /// Returns the next message, or none at the end, without waiting.
    private func receiveNow(_ descriptor: CInt) throws(Errno) -> [UInt8] {
        if let end = endOfBurst.withLock({ $0 }) { return try end.get() }
        return try L2CAPSystemCalls.receive(atMost: receiveMTU, on: descriptor)
    }

    /// Closes the channel and wakes the tasks that use it.
    package func close() {
        socket.close()
    }

    private func transfer<Result>(
        _ direction: Reactor.Direction,
        _ call: (CInt) throws(Errno) -> Result
    ) async throws(L2CAPError) -> Result {
        do throws(Errno) {
            return try await socket.whenReady(for: direction, call)
        } catch {
            if error == .canceled { close() }
            throw L2CAPError(error, during: .transfer)
        }
    }
}
