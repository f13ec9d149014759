package import Bluetooth
package import Epoll
private import SystemPackage

/// A PSM in listening state: accepts LE credit-based channels.
package final class L2CAPListener: Sendable {
    /// The PSM to which peers connect.
    package let psm: LEPSM

    private let socket: ReactorDescriptor
    private let reactor: Reactor

    /// Listens until ``close()`` or until the last reference to the listener is released.
    ///
    /// Bound to ``BluetoothAddress/any``, it accepts channels on every adapter, to public and random addresses
    /// (net/bluetooth/l2cap_core.c, `l2cap_global_chan_by_psm`).
    ///
    /// - Parameters:
    ///   - psm: the one to listen on, or nil for any that is free; fixed ones collide between programs.
    ///   - receiveMTU: the maximum length of a message that this end accepts in bytes, 23…65535; applies to each
    ///     accepted channel.
    ///   - backlog: the number of channels that may wait for ``accept()``; further ones are refused with "no
    ///     resources".
    /// - Throws: ``L2CAPError``.
    package init(
        on adapter: BluetoothAddress = .any,
        psm: LEPSM? = nil,
        receiveMTU: UInt16 = L2CAPChannel.longestMessage,
        backlog: Int32 = 8,
        reactor: Reactor
    ) throws(L2CAPError) {
        self.reactor = reactor
        do throws(Errno) {
            let socket = try L2CAPSocket()
            try socket.setLowSecurity()
            try socket.bind(to: adapter, psm)
            try socket.setReceiveMTU(receiveMTU)
            try socket.listen(backlog: backlog)
            self.psm = try socket.localEndpoint().psm
            self.socket = try ReactorDescriptor(socket.descriptor, on: reactor)
        } catch {
            throw L2CAPError(error, during: .listen)
        }
    }

    /// Returns the next channel that a peer has opened.
    ///
    /// - Throws: ``L2CAPError``: `cancelled`, `closed`, or an error because a resource is exhausted; in the latter
    ///   case, try again when another channel has closed.
    package func accept() async throws(L2CAPError) -> L2CAPChannel {
        while true {
            do throws(Errno) {
                return try await socket.whenReady(for: .reading) { listener throws(Errno) in
                    let arrival = try L2CAPSystemCalls.accept(listener)
                    // An accepted socket does not inherit them (net/bluetooth/l2cap_sock.c, l2cap_sock_new_connection_cb).
                    try L2CAPSystemCalls.setBuffers(L2CAPSocket.bufferBytes, on: arrival.descriptor.rawValue)
                    let peer = arrival.peer
                    return try L2CAPChannel(ReactorDescriptor(arrival.descriptor, on: reactor), to: peer)
                }
            } catch .connectionAbort, .socketNotConnected, .connectionReset {
                // The channel was closed before it was accepted (accept(2)).
                continue
            } catch {
                throw L2CAPError(error, during: .listen)
            }
        }
    }

    /// Stops listening and wakes the task that accepts; accepted channels stay open.
    package func close() {
        socket.close()
    }
}
