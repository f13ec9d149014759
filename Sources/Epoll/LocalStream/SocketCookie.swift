private import Glibc
package import SystemPackage

/// What identifies a socket on this computer, whichever process has it and under whatever number (socket(7),
/// `SO_COOKIE`); the kernel gives none twice.
package struct SocketCookie: Hashable, Sendable {
    private let rawValue: UInt64

    /// Reads the cookie of a socket.
    ///
    /// - Throws: `ENOTSOCK` for a descriptor of anything else.
    package init(of number: CInt) throws(Errno) {
        var value: UInt64 = 0
        var length = socklen_t(MemoryLayout<UInt64>.size)
        _ = try systemCall { getsockopt(number, SOL_SOCKET, SO_COOKIE, &value, &length) }
        rawValue = value
    }
}
