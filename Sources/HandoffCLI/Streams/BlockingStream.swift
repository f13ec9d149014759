import DBus
import Epoll
private import Glibc
import SystemPackage

/// A program's end of a continuation stream, a socket in blocking mode: for a thread of its own.
///
/// The socket resets the connection when it is closed, unless ``complete()`` was called before.
struct BlockingStream: Sendable {
    private let stream: UnixFD
    private let number: CInt

    init(_ stream: UnixFD) {
        self.stream = stream
        number = stream.withFileDescriptor { $0 }
    }

    /// Sends all of the bytes.
    ///
    /// - Throws: the error of send(2), with which the stream has ended.
    func send(_ bytes: ArraySlice<UInt8>) throws(Errno) {
        var rest = bytes
        while !rest.isEmpty {
            let count = try systemCall {
                rest.withUnsafeBytes { Glibc.send(number, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
            }
            rest = rest.dropFirst(count)
        }
    }

    /// Ends the stream in this direction.
    ///
    /// - Throws: the error of shutdown(2).
    func finishSending() throws(Errno) {
        _ = try systemCall { shutdown(number, CInt(SHUT_WR)) }
    }

    /// Receives at most `capacity` bytes; none when the other side has finished.
    ///
    /// - Throws: the error of read(2), with which the stream has ended.
    func receive(atMost capacity: Int) throws(Errno) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: capacity)
        let count = try systemCall { read(number, &buffer, capacity) }
        return Array(buffer.prefix(count))
    }

    /// Lets the socket be closed without breaking the stream.
    func complete() {
        var off = linger(l_onoff: 0, l_linger: 0)
        setsockopt(number, SOL_SOCKET, SO_LINGER, &off, socklen_t(MemoryLayout<linger>.size))
    }
}
