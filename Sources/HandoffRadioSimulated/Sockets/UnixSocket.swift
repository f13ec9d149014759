private import CLinux
import Epoll
private import Glibc
import SystemPackage

/// The system calls on Unix sockets that the simulated air uses, one function each; none of them blocks.
enum UnixSocket {
    /// The kinds of sockets in use, both of which preserve message boundaries (unix(7)).
    enum Kind {
        /// For reports: independent datagrams.
        case datagram
        /// For channels: connected and ordered, and the end is reported.
        case channel
    }

    /// Opens a socket without an address, nonblocking and closed on exec.
    static func open(_ kind: Kind) throws(Errno) -> Descriptor {
        let type = kind == .datagram ? SOCK_DGRAM : SOCK_SEQPACKET
        let flags = CInt(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        return try Descriptor { socket(AF_UNIX, CInt(type.rawValue) | flags, 0) }
    }

    static func bind(_ descriptor: CInt, to path: String) throws(Errno) {
        _ = try withAddress(path) { Glibc.bind(descriptor, $0, $1) }
    }

    static func listen(_ descriptor: CInt, backlog: CInt) throws(Errno) {
        _ = try systemCall { Glibc.listen(descriptor, backlog) }
    }

    static func accept(_ descriptor: CInt) throws(Errno) -> Descriptor {
        let flags = CInt(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        return try Descriptor { accept4(descriptor, nil, nil, flags) }
    }

    /// Connects immediately, or throws; `EAGAIN` means that the listener's backlog is full (connect(2)).
    static func connect(_ descriptor: CInt, to path: String) throws(Errno) {
        _ = try withAddress(path) { Glibc.connect(descriptor, $0, $1) }
    }

    static func send(_ bytes: [UInt8], on descriptor: CInt) throws(Errno) {
        _ = try systemCall { Glibc.send(descriptor, bytes, bytes.count, CInt(MSG_NOSIGNAL)) }
    }

    static func send(_ bytes: [UInt8], on descriptor: CInt, to path: String) throws(Errno) {
        _ = try withAddress(path) { address, length in
            sendto(descriptor, bytes, bytes.count, CInt(MSG_NOSIGNAL), address, length)
        }
    }

    /// Receives one message of at most `capacity` bytes; empty at the end of a channel.
    static func receive(atMost capacity: Int, from descriptor: CInt) throws(Errno) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: capacity)
        let count = try systemCall { recv(descriptor, &bytes, capacity, 0) }
        bytes.removeSubrange(count...)
        return bytes
    }

    /// Sets the number of bytes that the kernel buffers until the peer reads them; the kernel doubles it (socket(7)).
    static func setSendBuffer(_ descriptor: CInt, to size: CInt) throws(Errno) {
        var size = size
        let length = socklen_t(MemoryLayout<CInt>.size)
        _ = try systemCall { setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &size, length) }
    }

    private static func withAddress<Result: SignedInteger>(
        _ path: String,
        _ call: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) throws(Errno) -> Result {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let fits = withUnsafeMutableBytes(of: &address.sun_path) { place in
            // One byte is left for the NUL at the end.
            guard path.utf8.count < place.count else { return false }
            place.copyBytes(from: path.utf8)
            return true
        }
        guard fits else { throw .fileNameTooLong }
        return try withUnsafePointer(to: &address) { pointer throws(Errno) in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer throws(Errno) in
                try systemCall { call(pointer, socklen_t(MemoryLayout<sockaddr_un>.size)) }
            }
        }
    }
}
