private import Glibc
package import SystemPackage

/// A new local connection: one end for this process, the other to be passed to another process.
package struct LocalStreamPair: ~Copyable, Sendable {
    /// The end that this process uses.
    package let near: LocalStream

    /// The end to pass on: connected, in blocking mode, close-on-exec.
    ///
    /// It resets the connection when its last descriptor is closed, unless writing was ended before with `shutdown` and
    /// `SHUT_WR`, or `SO_LINGER` was turned off: a process that dies never looks like one that has finished.
    package let far: Descriptor

    /// The size of each kernel buffer in bytes, for each direction at each end, before the kernel doubles it
    /// (socket(7)): bounds the memory that a stalled reader costs.
    private static let bufferBytes: CInt = 256 * 1024

    /// Connects two sockets over the loopback interface.
    ///
    /// The listener is open only until they are connected. Connections of other programs to it are closed: only the one
    /// from the address and port of the far end is accepted: another user could bind the same port of 127.0.0.2.
    ///
    /// - Throws: `Errno`, `ECANCELED` when the task is cancelled.
    package static func connected(on reactor: Reactor) async throws(Errno) -> LocalStreamPair {
        let listening = try LocalStreamSystemCalls.socket(bufferBytes: bufferBytes)
        let port = try LocalStreamSystemCalls.listen(listening.rawValue)
        let far = try LocalStreamSystemCalls.socket(bufferBytes: bufferBytes)
        try LocalStreamSystemCalls.beginConnect(far.rawValue, to: port)
        let ownAddress = try LocalStreamSystemCalls.localAddress(far.rawValue)
        let listener = try ReactorDescriptor(listening, on: reactor)
        defer { listener.close() }
        let near = try await accept(on: listener, from: ownAddress, reactor)
        // The TCP handshake over loopback is complete once the near end has been accepted: no further waiting is
        // needed.
        try LocalStreamSystemCalls.setBlocking(far.rawValue)
        // The option belongs to the socket, so it holds in whatever process has the end.
        try LocalStreamSystemCalls.setResetsOnClose(true, on: far.rawValue)
        try near.resetOnDeath()
        return LocalStreamPair(near: near, far: far)
    }

    /// Accepts the connection from an address, and closes all others.
    static func accept(
        on listener: ReactorDescriptor,
        from address: LocalStreamSystemCalls.Address,
        _ reactor: Reactor
    ) async throws(Errno) -> LocalStream {
        while true {
            let accepted = Descriptor(
                owning: try await listener.whenReady(for: .reading, LocalStreamSystemCalls.accept)
            )
            guard try isConnected(accepted.rawValue, to: address) else { continue }
            return LocalStream(try ReactorDescriptor(accepted, on: reactor))
        }
    }

    /// Whether the other end of a connection has that address; one that was reset in the meantime has none.
    private static func isConnected(
        _ number: CInt,
        to address: LocalStreamSystemCalls.Address
    ) throws(Errno) -> Bool {
        do throws(Errno) {
            return try LocalStreamSystemCalls.peerAddress(number) == address
        } catch .socketNotConnected {
            return false
        }
    }

    /// Returns a duplicate descriptor of the far end, which the caller has to close.
    ///
    /// - Throws: `EMFILE` when the process has no descriptor left.
    package borrowing func duplicateFar() throws(Errno) -> CInt {
        let number = far.rawValue
        return try systemCall { fcntl(number, F_DUPFD_CLOEXEC, 0) }
    }

    /// What identifies the far end, in whatever process.
    ///
    /// - Throws: the error of getsockopt(2).
    package borrowing func farCookie() throws(Errno) -> SocketCookie {
        try SocketCookie(of: far.rawValue)
    }

    /// Returns the near end and closes the far one, of which another process has a duplicate by then.
    package consuming func takeNear() -> LocalStream { near }
}
