private import CBluetooth
private import CLinux
import Epoll
private import Glibc
import SystemPackage

/// The system calls on nonblocking L2CAP sockets.
enum L2CAPSystemCalls {
    /// A channel that a listener accepted.
    struct AcceptedConnection: ~Copyable {
        let descriptor: Descriptor
        let peer: L2CAPEndpoint?
    }

    /// Returns the next channel of a listener, and the peer if the kernel reports it.
    static func accept(_ descriptor: CInt) throws(Errno) -> AcceptedConnection {
        var address = sockaddr_l2()
        var length = socklen_t(MemoryLayout<sockaddr_l2>.size)
        let flags = CInt(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let accepted = try withUnsafeMutablePointer(to: &address) { pointer throws(Errno) in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer throws(Errno) in
                try systemCall { accept4(descriptor, pointer, &length, flags) }
            }
        }
        return AcceptedConnection(descriptor: Descriptor(owning: accepted), peer: L2CAPEndpoint(address))
    }

    /// Returns and clears the pending error of a socket, if there is one (socket(7)).
    static func pendingError(_ descriptor: CInt) throws(Errno) -> Errno? {
        var error: CInt = 0
        var length = socklen_t(MemoryLayout<CInt>.size)
        _ = try systemCall { getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &length) }
        return error == 0 ? nil : Errno(rawValue: error)
    }

    /// Returns the maximum length of a message that the peer accepts, in bytes; known only when connected
    /// (`l2cap_sock_getsockopt`).
    static func sendMTU(_ descriptor: CInt) throws(Errno) -> UInt16 {
        try mtu(BT_SNDMTU, descriptor)
    }

    /// Returns the maximum length of a message that this end accepts, in bytes.
    static func receiveMTU(_ descriptor: CInt) throws(Errno) -> UInt16 {
        try mtu(BT_RCVMTU, descriptor)
    }

    static func send(_ message: [UInt8], on descriptor: CInt) throws(Errno) {
        // Without MSG_NOSIGNAL, sending on a closed channel would terminate the process (send(2)).
        _ = try systemCall { Glibc.send(descriptor, message, message.count, CInt(MSG_NOSIGNAL)) }
    }

    /// Returns the next message; empty when the peer has closed the channel.
    static func receive(atMost length: Int, on descriptor: CInt) throws(Errno) -> [UInt8] {
        var message = [UInt8](repeating: 0, count: length)
        let count = try systemCall { recv(descriptor, &message, length, 0) }
        message.removeSubrange(count...)
        return message
    }

    private static func mtu(_ option: CInt, _ descriptor: CInt) throws(Errno) -> UInt16 {
        var value: UInt16 = 0
        var length = socklen_t(MemoryLayout<UInt16>.size)
        _ = try systemCall { getsockopt(descriptor, SOL_BLUETOOTH, option, &value, &length) }
        return value
    }
}
