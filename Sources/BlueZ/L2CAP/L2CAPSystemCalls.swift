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
    ///
    /// It is copied out of the buffer for the longest one, so that a short message does not keep that much memory.
    static func receive(atMost length: Int, on descriptor: CInt) throws(Errno) -> [UInt8] {
        let message: Result<[UInt8], Errno> = withUnsafeTemporaryAllocation(byteCount: length, alignment: 1) { buffer in
            Result { () throws(Errno) in
                let count = try systemCall { recv(descriptor, buffer.baseAddress, length, 0) }
                return [UInt8](buffer[..<count])
            }
        }
        return try message.get()
    }

    /// Sets the number of bytes that may wait in the kernel for a slow reader, and those that may wait to be sent.
    ///
    /// Kernels before 6.10 grant credits whether or not the reader keeps up, and disconnect when the first overflows
    /// (net/bluetooth/l2cap_sock.c, `l2cap_sock_recv_cb`).
    static func setBuffers(_ bytes: CInt, on descriptor: CInt) throws(Errno) {
        for option in [SO_RCVBUF, SO_SNDBUF] {
            var bytes = bytes
            let length = socklen_t(MemoryLayout<CInt>.size)
            _ = try systemCall { setsockopt(descriptor, SOL_SOCKET, option, &bytes, length) }
        }
    }

    private static func mtu(_ option: CInt, _ descriptor: CInt) throws(Errno) -> UInt16 {
        var value: UInt16 = 0
        var length = socklen_t(MemoryLayout<UInt16>.size)
        _ = try systemCall { getsockopt(descriptor, SOL_BLUETOOTH, option, &value, &length) }
        return value
    }
}
