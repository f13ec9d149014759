package import Bluetooth
import CBluetooth
private import Glibc

/// One end of an L2CAP channel: a device address and a protocol/service multiplexer (PSM).
package struct L2CAPEndpoint: Hashable, Sendable {
    package let address: BluetoothAddress

    package let psm: LEPSM

    package init(address: BluetoothAddress, psm: LEPSM) {
        self.address = address
        self.psm = psm
    }

    /// Converts a socket address of the kernel; nil if it is not an endpoint of L2CAP over LE with an ``LEPSM``.
    init?(_ socketAddress: sockaddr_l2) {
        guard socketAddress.l2_family == sa_family_t(AF_BLUETOOTH),
            let psm = LEPSM(exactly: UInt16(littleEndian: socketAddress.l2_psm))
        else { return nil }
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
        self.init(address: BluetoothAddress(number: number, kind: kind), psm: psm)
    }
}

extension sockaddr_l2 {
    /// Makes the socket address of an endpoint: little-endian, unlike Internet addresses.
    ///
    /// Without a PSM, bind(2) makes the kernel choose one of 0x80…0xFF (net/bluetooth/l2cap_core.c, `l2cap_add_psm`).
    /// The address type is an LE one, which makes the socket use credit-based flow control (net/bluetooth/l2cap_sock.c,
    /// `l2cap_sock_bind`: `L2CAP_MODE_LE_FLOWCTL`).
    init(_ address: BluetoothAddress, _ psm: LEPSM?) {
        self.init()
        l2_family = sa_family_t(AF_BLUETOOTH)
        l2_psm = UInt16(psm?.number ?? 0).littleEndian
        l2_cid = 0
        l2_bdaddr_type = UInt8(address.kind == .public ? BDADDR_LE_PUBLIC : BDADDR_LE_RANDOM)
        withUnsafeMutableBytes(of: &l2_bdaddr) { bytes in
            for index in bytes.indices { bytes[index] = UInt8(truncatingIfNeeded: address.number >> (8 * index)) }
        }
    }
}

extension BluetoothAddress {
    /// Any adapter of this host; the kernel's `BDADDR_ANY`.
    package static let any = BluetoothAddress(number: 0, kind: .public)
}
