import Bluetooth
private import CBluetooth
import Epoll
private import Glibc
import SystemPackage

/// An L2CAP socket during set-up: one function for each system call, in the order in which they must be called.
struct L2CAPSocket: ~Copyable {
    /// The size of a socket's two buffers, 256 KiB: more than any channel of this project has in flight.
    ///
    /// The kernel limits it to net.core.rmem_max and wmem_max, by default 208 KiB, and doubles the result.
    static let bufferBytes: CInt = 256 * 1024

    let descriptor: Descriptor

    /// Opens a nonblocking, close-on-exec socket.
    ///
    /// `SOCK_SEQPACKET`, because `SOCK_STREAM` would be a BR/EDR channel (net/bluetooth/l2cap_sock.c,
    /// `l2cap_sock_init`).
    init() throws(Errno) {
        let type = CInt(SOCK_SEQPACKET.rawValue) | CInt(SOCK_NONBLOCK.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
        descriptor = try Descriptor { socket(AF_BLUETOOTH, type, BTPROTO_L2CAP) }
    }

    /// Requests no Bluetooth security: the protocol above encrypts, and the user is not asked to pair.
    ///
    /// Set explicitly, before listen(2) and connect(2), because a higher level starts pairing
    /// (net/bluetooth/l2cap_core.c, `l2cap_le_connect_req`, and smp.c, `smp_conn_security`).
    func setLowSecurity() throws(Errno) {
        try set(BT_SECURITY, of: SOL_BLUETOOTH, to: bt_security(level: UInt8(BT_SECURITY_LOW), key_size: 0))
    }

    /// Binds to an LE address of one adapter or of all; without this, the socket is a BR/EDR one (`l2cap_sock_bind`).
    func bind(to address: BluetoothAddress, _ psm: LEPSM?) throws(Errno) {
        try sockaddr_l2(address, psm).withPointer { pointer, length in
            Glibc.bind(descriptor.rawValue, pointer, length)
        }
    }

    /// Sets the maximum length of a message that this end accepts, in bytes.
    ///
    /// To be called after bind(2), which makes the socket an LE one, and before connect(2), after which it fails with
    /// `EISCONN` (net/bluetooth/l2cap_sock.c, `l2cap_sock_setsockopt`). An accepted socket inherits the value of its
    /// listener.
    func setReceiveMTU(_ length: UInt16) throws(Errno) {
        try set(BT_RCVMTU, of: SOL_BLUETOOTH, to: length)
    }

    /// Sets the time limit of connect(2); the kernel's default is 40 s (`L2CAP_CONN_TIMEOUT`).
    ///
    /// It also bounds a nonblocking connect, because the channel's timer is set to it (`l2cap_sock_get_sndtimeo_cb`).
    func setConnectTimeout(_ timeout: Duration) throws(Errno) {
        let (seconds, attoseconds) = max(timeout, .milliseconds(1)).components
        // Zero would mean no limit (socket(7)); one day is the maximum used here.
        let time = timeval(tv_sec: min(Int(seconds), 86_400), tv_usec: Int(attoseconds / 1_000_000_000_000))
        try set(SO_SNDTIMEO, of: SOL_SOCKET, to: time)
    }

    /// Starts listening for channels.
    func listen(backlog: CInt) throws(Errno) {
        _ = try systemCall { Glibc.listen(descriptor.rawValue, backlog) }
    }

    /// Begins to connect; the socket becomes writable when it is connected or has failed.
    func beginConnect(to endpoint: L2CAPEndpoint) throws(Errno) {
        do throws(Errno) {
            try sockaddr_l2(endpoint.address, endpoint.psm).withPointer { pointer, length in
                connect(descriptor.rawValue, pointer, length)
            }
        } catch .nowInProgress {
            return
        }
    }

    /// Returns the endpoint to which the socket is bound; its PSM was chosen by the kernel if none was requested.
    func localEndpoint() throws(Errno) -> L2CAPEndpoint {
        var address = sockaddr_l2()
        var length = socklen_t(MemoryLayout<sockaddr_l2>.size)
        try withUnsafeMutablePointer(to: &address) { pointer throws(Errno) in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer throws(Errno) in
                _ = try systemCall { getsockname(descriptor.rawValue, pointer, &length) }
            }
        }
        // The kernel chooses the lowest free PSM: with 31 listeners of other programs, none is left that can be advertised.
        guard let endpoint = L2CAPEndpoint(address) else { throw .addressInUse }
        return endpoint
    }

    private func set<Value: BitwiseCopyable>(_ option: CInt, of level: CInt, to value: Value) throws(Errno) {
        let length = socklen_t(MemoryLayout<Value>.size)
        _ = try withUnsafePointer(to: value) { pointer throws(Errno) in
            try systemCall { setsockopt(descriptor.rawValue, level, option, pointer, length) }
        }
    }
}

extension sockaddr_l2 {
    fileprivate func withPointer(_ call: (UnsafePointer<sockaddr>, socklen_t) -> CInt) throws(Errno) {
        try withUnsafePointer(to: self) { pointer throws(Errno) in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer throws(Errno) in
                _ = try systemCall { call(pointer, socklen_t(MemoryLayout<sockaddr_l2>.size)) }
            }
        }
    }
}
