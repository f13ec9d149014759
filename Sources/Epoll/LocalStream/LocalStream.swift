private import Synchronization
package import SystemPackage

/// One end of a local byte-stream connection that ends either normally or with an error.
///
/// Unlike a pair of Unix sockets, a connection over the loopback interface can be reset: the other end then reads an
/// error (`ECONNRESET`) instead of the end of the stream, and never mistakes a truncated stream for a complete one. The
/// kernel resets it too when the process at one end dies. At most one task reads and one writes at a time.
package final class LocalStream: Sendable {
    private struct State {
        /// The first error of a read or a write, which every later one throws.
        var failure: Errno?
        /// Whether writing has ended with ``finishWriting()``.
        var hasFinished = false
    }

    private let socket: ReactorDescriptor
    private let state = Mutex(State())

    init(_ socket: ReactorDescriptor) {
        self.socket = socket
    }

    /// Makes the kernel reset the connection when this process dies before ``close()``: the other end then reads an
    /// error.
    ///
    /// - Throws: the error of setsockopt(2).
    func resetOnDeath() throws(Errno) {
        try socket.perform { number throws(Errno) in try LocalStreamSystemCalls.setResetsOnClose(true, on: number) }
    }

    /// Takes ownership of an end that was passed to this process.
    ///
    /// - Parameters:
    ///   - number: a connected socket, which must not be closed elsewhere; it is set to nonblocking mode, which affects
    ///     all its duplicates.
    ///   - reactor: the reactor on which reads and writes wait.
    /// - Throws: the error of fcntl(2) or epoll_ctl(2).
    package convenience init(taking number: CInt, on reactor: Reactor) throws(Errno) {
        let descriptor = Descriptor(owning: number)
        try LocalStreamSystemCalls.setNonblocking(descriptor.rawValue)
        self.init(try ReactorDescriptor(descriptor, on: reactor))
    }

    /// Reads the next 1 to `count` bytes; returns none when the other end has finished writing.
    ///
    /// - Throws: `ECONNRESET` when the other end has died or was reset; the error of the first read or write that has
    ///   failed; `ECANCELED` when the task is cancelled, `EBADF` after ``close()`` or ``reset()``.
    package func read(atMost count: Int) async throws(Errno) -> [UInt8] {
        try await socket.whenReady(for: .reading) { number throws(Errno) in
            try rememberingFailure { () throws(Errno) in try SocketTransfer.receive(atMost: count, from: number) }
        }
    }

    /// Writes all bytes, waiting while the other end does not read.
    ///
    /// - Throws: `EPIPE` after ``finishWriting()``, `EPIPE` or `ECONNRESET` when the other end is closed; the error of
    ///   the first read or write that has failed; `ECANCELED` when the task is cancelled, `EBADF` after ``close()`` or
    ///   ``reset()``. Some of the bytes may have been written.
    package func write(_ bytes: [UInt8]) async throws(Errno) {
        // The caller's mistake is no failure of the stream: what the other end has written can still be read.
        guard !state.withLock(\.hasFinished) else { throw .brokenPipe }
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = rest
            let count = try await socket.whenReady(for: .writing) { number throws(Errno) in
                try rememberingFailure { () throws(Errno) in try SocketTransfer.send(piece, to: number) }
            }
            rest = rest.dropFirst(count)
        }
    }

    /// Ends writing: the other end reads the end of the stream after all bytes that were written before.
    ///
    /// - Throws: `ENOTCONN` when the other end is closed, `EBADF` after ``close()`` or ``reset()``.
    package func finishWriting() throws(Errno) {
        try socket.perform(LocalStreamSystemCalls.finishWriting)
        state.withLock { $0.hasFinished = true }
    }

    /// Closes this end, and ends writing with it: the other end reads all bytes that were written before, and then the
    /// end of the stream.
    package func close() {
        try? socket.perform { number throws(Errno) in try LocalStreamSystemCalls.setResetsOnClose(false, on: number) }
        socket.close()
    }

    /// Resets the connection: the next read or write of the other end fails with `ECONNRESET`.
    ///
    /// Bytes that were written and not read yet may be lost (tcp(7), `SO_LINGER` with a time of zero).
    package func reset() {
        try? socket.perform { number throws(Errno) in try LocalStreamSystemCalls.setResetsOnClose(true, on: number) }
        socket.close()
    }

    /// Runs a system call of a read or a write; remembers its error, and throws that of an earlier one.
    ///
    /// Linux reports a reset to one system call only: of a read and a write under way, one would get the error, and the
    /// other one would read the end of the stream. Calls run one at a time (``ReactorDescriptor/perform(_:)``).
    private func rememberingFailure<Result>(_ call: () throws(Errno) -> Result) throws(Errno) -> Result {
        if let failure = state.withLock(\.failure) { throw failure }
        do throws(Errno) {
            return try call()
        } catch .wouldBlock {
            throw .wouldBlock
        } catch {
            state.withLock { $0.failure = error }
            throw error
        }
    }
}
