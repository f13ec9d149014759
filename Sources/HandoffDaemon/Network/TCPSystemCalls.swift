private import CLinux
import Epoll
import Glibc
import HandoffModel
import SystemPackage

/// The system calls on nonblocking TCP sockets, one function each.
enum TCPSystemCalls {
    private static let flags = CInt(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)

    /// Opens an unbound, nonblocking, close-on-exec TCP socket of a family.
    static func socket(_ family: CInt) throws(Errno) -> Descriptor {
        try Descriptor { Glibc.socket(family, CInt(SOCK_STREAM.rawValue) | flags, CInt(IPPROTO_TCP)) }
    }

    /// Sets the options of a socket that carries data: pieces are sent at once.
    static func configure(_ number: CInt) throws(Errno) {
        try set(CInt(IPPROTO_TCP), TCP_NODELAY, to: CInt(1), on: number)
    }

    /// Accepts IPv4 connections on an IPv6 socket, too (ipv6(7)).
    static func acceptBothFamilies(_ number: CInt) throws(Errno) {
        try set(CInt(IPPROTO_IPV6), IPV6_V6ONLY, to: CInt(0), on: number)
    }

    /// Listens at all addresses of the family, on a port that the kernel chooses.
    static func listen(_ number: CInt, at any: IPAddress, backlog: CInt) throws(Errno) {
        _ = try systemCall { any.withSocketAddress(port: 0, interface: 0) { Glibc.bind(number, $0, $1) } }
        _ = try systemCall { Glibc.listen(number, backlog) }
    }

    /// Returns the port to which a socket is bound.
    static func port(_ number: CInt) throws(Errno) -> UInt16 {
        var address = sockaddr_in6()
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        try withUnsafeMutablePointer(to: &address) { pointer throws(Errno) in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer throws(Errno) in
                _ = try systemCall { getsockname(number, pointer, &length) }
            }
        }
        // The port is at the same place in addresses of both families (RFC 3493, section 3.3).
        return UInt16(bigEndian: address.sin6_port)
    }

    static func accept(_ number: CInt) throws(Errno) -> CInt {
        try systemCall { accept4(number, nil, nil, flags) }
    }

    /// Begins to connect; the socket becomes writable when it is connected or has failed.
    static func beginConnect(_ number: CInt, to address: IPAddress, port: UInt16, interface: UInt32) throws(Errno) {
        do throws(Errno) {
            _ = try systemCall {
                address.withSocketAddress(port: port, interface: interface) { Glibc.connect(number, $0, $1) }
            }
        } catch .nowInProgress {
            return
        }
    }

    /// Returns and clears the pending error of a socket, if there is one (socket(7)).
    static func pendingError(_ number: CInt) throws(Errno) -> Errno? {
        var error: CInt = 0
        var length = socklen_t(MemoryLayout<CInt>.size)
        _ = try systemCall { getsockopt(number, SOL_SOCKET, SO_ERROR, &error, &length) }
        return error == 0 ? nil : Errno(rawValue: error)
    }

    private static func set(_ level: CInt, _ option: CInt, to value: CInt, on number: CInt) throws(Errno) {
        let length = socklen_t(MemoryLayout<CInt>.size)
        _ = try systemCall { withUnsafeBytes(of: value) { setsockopt(number, level, option, $0.baseAddress, length) } }
    }
}
