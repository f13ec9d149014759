import CBluetooth
private import Glibc

/// One end of an L2CAP channel: a device address and a protocol/service multiplexer (PSM).
package struct L2CAPEndpoint: Hashable, Sendable {
    package let address: BluetoothAddress

    /// The PSM; 0 makes the kernel choose one of 0x80…0xFF (net/bluetooth/l2cap_core.c, `l2cap_add_psm`).
    package let psm: UInt16

    package init(address: BluetoothAddress, psm: UInt16) {
        self.address = address
        self.psm = psm
    }

    /// Converts a socket address of the kernel; nil if it is not an endpoint of L2CAP over LE.
    init?(_ socketAddress: sockaddr_l2) {
        guard socketAddress.l2_family == sa_family_t(AF_BLUETOOTH) else { return nil }
        let kind: BluetoothAddress.Kind
        switch CInt(socketAddress.l2_bdaddr_type) {
        case BDADDR_LE_PUBLIC: kind = .public
        case BDADDR_LE_RANDOM: kind = .random
        default: return nil
        }
        let number = withUnsafeBytes(of: socketAddress.l2_bdaddr) { bytes in
            // bdaddr_t is little-endian.
            bytes.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        }
        address = BluetoothAddress(number: number, kind: kind)
        psm = UInt16(littleEndian: socketAddress.l2_psm)
    }

    /// The endpoint as a socket address: little-endian, unlike Internet addresses.
    ///
    /// Its address type is an LE one, which makes the socket use credit-based flow control (net/bluetooth/l2cap_sock.c,
    /// `l2cap_sock_bind`: `L2CAP_MODE_LE_FLOWCTL`).
    var socketAddress: sockaddr_l2 {
        var result = sockaddr_l2()
        result.l2_family = sa_family_t(AF_BLUETOOTH)
        result.l2_psm = psm.littleEndian
        result.l2_cid = 0
        result.l2_bdaddr_type = UInt8(address.kind == .public ? BDADDR_LE_PUBLIC : BDADDR_LE_RANDOM)
        withUnsafeMutableBytes(of: &result.l2_bdaddr) { bytes in
            for index in bytes.indices { bytes[index] = UInt8(truncatingIfNeeded: address.number >> (8 * index)) }
        }
        return result
    }
}
