package import Bluetooth
package import Epoll
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
    /// ``longestSentMessage``.
    package let sendMTU: Int

    /// The length of a message that this end accepts unless told otherwise, in bytes.
    ///
    /// The kernel lets a peer have as many packets on the way as one message of this length takes, and one more, when its
    /// controller's packets are short (net/bluetooth/l2cap_core.c, `l2cap_le_rx_credits`). With the kernel's default of
    /// 672 the peer would wait for new credits after each 672 bytes. This is four times what this end sends at once, so
    /// that the next message is on its way while the credits for the first return; and it bounds what the kernel holds
    /// for a reader that has stopped.
    package static let defaultReceiveMTU: UInt16 = 16 * 1024

    /// The length of the longest message that is sent, in bytes, even if the peer accepts longer ones.
    ///
    /// The kernel queues a message as a whole, or not at all if the socket's send buffer has no room for all of its
    /// packets; it reports room when half of the buffer is free. A message of this length has 179 packets of 23 bytes, the
    /// shortest that there are, each of which counts as 768 bytes: together less than half of ``L2CAPSocket/bufferBytes``
    /// as the kernel counts it.
    package static let longestSentMessage = 4 * 1024

    private let socket: ReactorDescriptor
    private let receiveMTU: Int

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
        receiveMTU: UInt16 = defaultReceiveMTU,
        timeout: Duration,
        on reactor: Reactor
    ) async throws(L2CAPError) -> L2CAPChannel {
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
            throw L2CAPError(error, during: .connect)
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
        self.sendMTU = min(sendMTU, Self.longestSentMessage)
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
        let length = receiveMTU
        let message = try await transfer(.reading) { descriptor throws(Errno) in
            try L2CAPSystemCalls.receive(atMost: length, on: descriptor)
        }
        return message.isEmpty ? nil : message
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
