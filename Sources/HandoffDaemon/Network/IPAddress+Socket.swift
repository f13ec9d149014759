import Glibc
import HandoffModel

extension IPAddress {
    /// The address in a socket address of the kernel; nil for one of another family.
    init?(socketAddress: UnsafeMutablePointer<sockaddr>) {
        let raw = UnsafeRawPointer(socketAddress)
        switch CInt(socketAddress.pointee.sa_family) {
        case AF_INET:
            self.init(bytes: withUnsafeBytes(of: raw.loadUnaligned(as: sockaddr_in.self).sin_addr) { Array($0) })
        case AF_INET6:
            self.init(bytes: withUnsafeBytes(of: raw.loadUnaligned(as: sockaddr_in6.self).sin6_addr) { Array($0) })
        default: return nil
        }
    }

    /// The kernel's number of the address's family.
    var family: CInt {
        switch self {
        case .v4: AF_INET
        case .v6: AF_INET6
        }
    }

    /// Calls `call` with the socket address of a port at this address.
    ///
    /// - Parameter interface: the interface of an address that needs one; 0 for the others.
    func withSocketAddress(
        port: UInt16,
        interface: UInt32,
        _ call: (UnsafePointer<sockaddr>, socklen_t) -> CInt
    ) -> CInt {
        switch self {
        case .v4(let number):
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = number.bigEndian
            return withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    call($0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
        case .v6:
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            address.sin6_scope_id = interface
            withUnsafeMutableBytes(of: &address.sin6_addr) { $0.copyBytes(from: bytes) }
            return withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    call($0, socklen_t(MemoryLayout<sockaddr_in6>.size))
                }
            }
        }
    }
}
