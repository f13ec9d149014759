package import Epoll
private import Glibc
package import SystemPackage

/// A new connection: one end to work with here, the other to give away.
package struct LocalStreamPair: ~Copyable, Sendable {
    /// The end that stays.
    package let near: LocalStream

    /// The end to give away: connected, in blocking mode, closed on exec.
    package let far: Descriptor

    /// How many bytes the kernel holds for each direction at each end, before it doubles the number (socket(7)): what a
    /// reader that does not read can cost.
    private static let bufferBytes: CInt = 64 * 1024

    /// Connects two sockets over the loopback interface.
    ///
    /// The listener between them is open for no longer than that, and whoever else connects to it meanwhile is turned
    /// away: only the connection from the port of our own other end is taken.
    ///
    /// - Throws: `Errno`, `ECANCELED` when the task is cancelled.
    package static func connected(on reactor: Reactor) async throws(Errno) -> LocalStreamPair {
        let listening = try LocalStreamSystemCalls.socket(bufferBytes: bufferBytes)
        let port = try LocalStreamSystemCalls.listen(listening.rawValue)
        let far = try LocalStreamSystemCalls.socket(bufferBytes: bufferBytes)
        try LocalStreamSystemCalls.beginConnect(far.rawValue, to: port)
        let ownPort = try LocalStreamSystemCalls.localPort(far.rawValue)
        let listener = try ReactorDescriptor(listening, on: reactor)
        defer { listener.close() }
        let near = try await accept(on: listener, from: ownPort, reactor)
        // The handshake over loopback is complete once the other side has accepted: no more waiting is needed.
        try LocalStreamSystemCalls.setBlocking(far.rawValue)
        try near.resetOnDeath()
        return LocalStreamPair(near: near, far: far)
    }

    private static func accept(
        on listener: ReactorDescriptor,
        from port: UInt16,
        _ reactor: Reactor
    ) async throws(Errno) -> LocalStream {
        while true {
            let accepted = try await listener.whenReady(for: .reading, LocalStreamSystemCalls.accept)
            guard try LocalStreamSystemCalls.peerPort(accepted) == port else {
                _ = Glibc.close(accepted)
                continue
            }
            return LocalStream(try ReactorDescriptor(Descriptor(owning: accepted), on: reactor))
        }
    }

    /// The far end under another number, which the caller has to close.
    ///
    /// - Throws: `EMFILE` when the process has no descriptor left.
    package borrowing func duplicateFar() throws(Errno) -> CInt {
        let number = far.rawValue
        return try systemCall { fcntl(number, F_DUPFD_CLOEXEC, 0) }
    }

    /// Keeps the near end and closes the far one, which by then somebody else has under a number of its own.
    package consuming func takeNear() -> LocalStream { near }
}
