package import Epoll
package import SystemPackage

/// One end of a connection inside this computer, of bytes without borders, that can end well or badly.
///
/// Unlike a pair of Unix sockets, a connection over the loopback interface can be reset: the other end then reads an
/// error (`ECONNRESET`) instead of an end, and never mistakes a part for the whole. At most one task reads and one writes
/// at a time.
package final class LocalStream: Sendable {
    private let socket: ReactorDescriptor

    init(_ socket: ReactorDescriptor) {
        self.socket = socket
    }

    /// Makes the kernel reset the connection when this process dies before ``close()``: the other end then reads an error.
    ///
    /// - Throws: the error of setsockopt(2).
    func resetOnDeath() throws(Errno) {
        try socket.perform { number throws(Errno) in try LocalStreamSystemCalls.setResetsOnClose(true, on: number) }
    }

    /// Takes over an end that was given to this process.
    ///
    /// - Parameters:
    ///   - number: a connected socket, which nobody else closes; it is set to nonblocking mode, for everybody who has it.
    ///   - reactor: wakes who waits here.
    /// - Throws: the error of fcntl(2) or epoll_ctl(2).
    package convenience init(taking number: CInt, on reactor: Reactor) throws(Errno) {
        let descriptor = Descriptor(owning: number)
        try LocalStreamSystemCalls.setNonblocking(descriptor.rawValue)
        self.init(try ReactorDescriptor(descriptor, on: reactor))
    }

    /// The next 1 to `count` bytes; none when the other end has finished writing.
    ///
    /// - Throws: `ECONNRESET` when the other end was closed with bytes unread, `ECANCELED` when the task is cancelled,
    ///   `EBADF` after ``close()`` or ``reset()``.
    package func read(atMost count: Int) async throws(Errno) -> [UInt8] {
        try await socket.whenReady(for: .reading) { number throws(Errno) in
            try LocalStreamSystemCalls.read(atMost: count, from: number)
        }
    }

    /// Writes all bytes, waiting while the other end does not read.
    ///
    /// - Throws: `EPIPE` or `ECONNRESET` when the other end is closed, `ECANCELED` when the task is cancelled, `EBADF`
    ///   after ``close()`` or ``reset()``. Some of the bytes may have been written.
    package func write(_ bytes: [UInt8]) async throws(Errno) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = rest
            let count = try await socket.whenReady(for: .writing) { number throws(Errno) in
                try LocalStreamSystemCalls.write(piece, to: number)
            }
            rest = rest.dropFirst(count)
        }
    }

    /// Says that no more is written: the other end reads an end once it has read all before it.
    ///
    /// - Throws: `ENOTCONN` when the other end is closed, `EBADF` after ``close()`` or ``reset()``.
    package func finishWriting() throws(Errno) {
        try socket.perform(LocalStreamSystemCalls.finishWriting)
    }

    /// Closes this end; what was written before is still delivered.
    package func close() {
        try? socket.perform { number throws(Errno) in try LocalStreamSystemCalls.setResetsOnClose(false, on: number) }
        socket.close()
    }

    /// Closes this end in a way that the other one notices: its next read or write fails with `ECONNRESET`.
    ///
    /// What was written and not read yet may be lost (tcp(7), `SO_LINGER` with a time of zero).
    package func reset() {
        try? socket.perform { number throws(Errno) in try LocalStreamSystemCalls.setResetsOnClose(true, on: number) }
        socket.close()
    }
}
