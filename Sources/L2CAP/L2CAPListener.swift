package import Epoll
private import SystemPackage

/// A multiplexer that is open: it accepts LE credit-based channels.
package final class L2CAPListener: Sendable {
    /// 256 KiB, what any channel of ours may have in flight and some.
    static let receiveBuffer: CInt = 256 * 1024

    /// Where peers dial; advertise this one, and not the one that was asked for.
    package let endpoint: L2CAPEndpoint

    private let socket: ReactorDescriptor
    private let reactor: Reactor

    /// Listens until ``close()``, or until nobody holds the listener any more.
    ///
    /// Bound to ``BluetoothAddress/any`` it takes channels on every adapter, to public and to random addresses alike
    /// (net/bluetooth/l2cap_core.c, `l2cap_global_chan_by_psm`).
    ///
    /// - Parameters:
    ///   - psm: 0x80…0xFF, or 0 for one that is free; fixed ones collide between programs.
    ///   - receiveMTU: the longest message that this end takes, 23…65535; each accepted channel has it.
    ///   - backlog: how many channels may wait for ``accept()``; more are told "no resources".
    /// - Throws: ``L2CAPError``.
    package init(
        on adapter: BluetoothAddress = .any,
        psm: UInt16 = 0,
        receiveMTU: UInt16 = 672,
        backlog: Int32 = 8,
        reactor: Reactor
    ) throws(L2CAPError) {
        self.reactor = reactor
        do throws(Errno) {
            let socket = try L2CAPSocket()
            try socket.setLowSecurity()
            try socket.bind(to: L2CAPEndpoint(address: adapter, psm: psm))
            try socket.setReceiveMTU(receiveMTU)
            try socket.setReceiveBuffer(Self.receiveBuffer)
            try socket.listen(backlog: backlog)
            endpoint = try socket.localEndpoint()
            self.socket = try ReactorDescriptor(socket.descriptor, on: reactor)
        } catch {
            throw L2CAPError(error, during: .listen)
        }
    }

    /// The next channel that a peer has opened.
    ///
    /// - Throws: ``L2CAPError``: `cancelled`, `closed`, or what the system is out of, and then it is worth trying again
    ///   when another channel has closed.
    package func accept() async throws(L2CAPError) -> L2CAPChannel {
        while true {
            do throws(Errno) {
                return try await socket.whenReady(for: .reading) { listener throws(Errno) in
                    let arrival = try L2CAPSystemCalls.accept(listener)
                    let peer = arrival.peer
                    return try L2CAPChannel(ReactorDescriptor(arrival.descriptor, on: reactor), to: peer)
                }
            } catch .connectionAbort, .socketNotConnected, .connectionReset {
                // It was gone again before it was looked at (accept(2)).
                continue
            } catch {
                throw L2CAPError(error, during: .listen)
            }
        }
    }

    /// Closes the multiplexer and wakes who accepts; channels that were accepted stay.
    package func close() {
        socket.close()
    }
}
