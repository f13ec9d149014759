private import Glibc
package import SystemPackage

/// One end of a connection over which two processes tell each other, once each, that they have all of a stream.
///
/// A byte of any value tells it. An end that is closed before has told nothing, also when its process has died.
package final class ReceiptSocket: Sendable {
    private let socket: ReactorDescriptor

    /// Takes ownership of an end that was passed to this process.
    ///
    /// - Parameters:
    ///   - number: a connected socket, which must not be closed elsewhere; it is set to nonblocking mode, which affects
    ///     all its duplicates.
    ///   - reactor: the reactor on which ``receive()`` waits.
    /// - Throws: the error of fcntl(2) or epoll_ctl(2).
    package init(taking number: CInt, on reactor: Reactor) throws(Errno) {
        let descriptor = Descriptor(owning: number)
        try LocalStreamSystemCalls.setNonblocking(descriptor.rawValue)
        socket = try ReactorDescriptor(descriptor, on: reactor)
    }

    /// Connects two ends.
    ///
    /// - Returns: the end of this process, and the descriptor of the other one, in blocking mode and close-on-exec, which
    ///   the caller has to close.
    /// - Throws: `EMFILE` when the process has no descriptor left; the error of epoll_ctl(2).
    package static func connected(on reactor: Reactor) throws(Errno) -> (near: ReceiptSocket, far: CInt) {
        var numbers: [CInt] = [0, 0]
        let type = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        _ = try systemCall { socketpair(AF_UNIX, type, 0, &numbers) }
        let (near, far) = (numbers[0], numbers[1])
        do throws(Errno) {
            return (try ReceiptSocket(taking: near, on: reactor), far)
        } catch {
            Glibc.close(far)
            throw error
        }
    }

    /// Tells the other process that this one has everything.
    ///
    /// - Throws: `EPIPE` when the other end is closed, `EBADF` after ``close()``.
    package func send() throws(Errno) {
        // One byte always fits into an empty buffer.
        _ = try socket.perform { number throws(Errno) in try SocketTransfer.send([1], to: number) }
    }

    /// Waits until the other process has told that it has everything; returns false if it has closed its end instead.
    ///
    /// - Throws: `ECANCELED` when the task is cancelled, `EBADF` after ``close()``.
    package func receive() async throws(Errno) -> Bool {
        do throws(Errno) {
            return try await !socket.whenReady(for: .reading) { number throws(Errno) in
                try SocketTransfer.receive(atMost: 1, from: number)
            }.isEmpty
        } catch .connectionReset {
            // The other end was closed with a byte of this one unread.
            return false
        }
    }

    /// Closes this end.
    package func close() {
        socket.close()
    }
}
