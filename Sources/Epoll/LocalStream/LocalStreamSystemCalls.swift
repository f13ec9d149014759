private import CLinux
private import Glibc
import SystemPackage

/// The system calls on sockets of the loopback interface, one function each; none of them blocks.
enum LocalStreamSystemCalls {
    /// An address of the loopback interface and a port, which together identify one end of a connection.
    struct Address: Hashable, Sendable {
        /// The IPv4 address; the loopback interface has all of 127.0.0.0/8.
        let host: UInt32
        let port: UInt16
    }

    /// Opens an unbound, nonblocking, close-on-exec TCP socket that sends without delay (`TCP_NODELAY`).
    static func socket(bufferBytes: CInt) throws(Errno) -> Descriptor {
        let flags = CInt(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = try Descriptor {
            Glibc.socket(AF_INET, CInt(SOCK_STREAM.rawValue) | flags, CInt(IPPROTO_TCP))
        }
        try set(CInt(IPPROTO_TCP), TCP_NODELAY, to: 1, on: descriptor.rawValue)
        try set(SOL_SOCKET, SO_SNDBUF, to: bufferBytes, on: descriptor.rawValue)
        try set(SOL_SOCKET, SO_RCVBUF, to: bufferBytes, on: descriptor.rawValue)
        return descriptor
    }

    /// Listens on a port that the kernel chooses; returns the port.
    static func listen(_ number: CInt) throws(Errno) -> UInt16 {
        _ = try withLoopback(port: 0) { Glibc.bind(number, $0, $1) }
        _ = try systemCall { Glibc.listen(number, 8) }
        return try localAddress(number).port
    }

    static func beginConnect(_ number: CInt, to port: UInt16) throws(Errno) {
        do throws(Errno) {
            _ = try withLoopback(port: port) { Glibc.connect(number, $0, $1) }
        } catch .nowInProgress {
            return
        }
    }

    static func accept(_ number: CInt) throws(Errno) -> CInt {
        let flags = CInt(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        return try systemCall { accept4(number, nil, nil, flags) }
    }

    static func localAddress(_ number: CInt) throws(Errno) -> Address {
        try address { getsockname(number, $0, $1) }
    }

    static func peerAddress(_ number: CInt) throws(Errno) -> Address {
        try address { getpeername(number, $0, $1) }
    }

    static func setBlocking(_ number: CInt) throws(Errno) {
        let flags = try systemCall { fcntl(number, F_GETFL) }
        _ = try systemCall { fcntl(number, F_SETFL, flags & ~O_NONBLOCK) }
    }

    static func setNonblocking(_ number: CInt) throws(Errno) {
        let flags = try systemCall { fcntl(number, F_GETFL) }
        _ = try systemCall { fcntl(number, F_SETFL, flags | O_NONBLOCK) }
    }

    static func finishWriting(_ number: CInt) throws(Errno) {
        _ = try systemCall { shutdown(number, CInt(SHUT_WR)) }
    }

    /// Sets whether closing the socket resets the connection (tcp(7), `SO_LINGER` with a time of zero).
    static func setResetsOnClose(_ resets: Bool, on number: CInt) throws(Errno) {
        try set(SOL_SOCKET, SO_LINGER, to: linger(l_onoff: resets ? 1 : 0, l_linger: 0), on: number)
    }

    private static func set<Value: BitwiseCopyable>(
        _ level: CInt,
        _ option: CInt,
        to value: Value,
        on number: CInt
    ) throws(Errno) {
        let length = socklen_t(MemoryLayout<Value>.size)
        _ = try systemCall {
            withUnsafeBytes(of: value) { setsockopt(number, level, option, $0.baseAddress, length) }
        }
    }

    private static func withLoopback<Result: SignedInteger>(
        port: UInt16,
        _ call: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) throws(Errno) -> Result {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return try withUnsafePointer(to: &address) { pointer throws(Errno) in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer throws(Errno) in
                try systemCall { call(pointer, socklen_t(MemoryLayout<sockaddr_in>.size)) }
            }
        }
    }

    private static func address(
        _ call: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> CInt
    ) throws(Errno) -> Address {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        try withUnsafeMutablePointer(to: &address) { pointer throws(Errno) in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer throws(Errno) in
                _ = try systemCall { call(pointer, &length) }
            }
        }
        return Address(host: UInt32(bigEndian: address.sin_addr.s_addr), port: UInt16(bigEndian: address.sin_port))
    }
}
