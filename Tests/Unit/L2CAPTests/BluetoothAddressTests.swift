import CBluetooth
import Glibc
@testable import L2CAP
import TestLimits
import Testing

@Suite("Bluetooth addresses", .endsWithin(minutes: 10))
struct BluetoothAddressTests {
    @Test(
        "An address is read and written as bluetoothd does it",
        arguments: ["00:AA:01:00:00:2F", "FF:FF:FF:FF:FF:FF"]
    )
    func roundTrip(_ text: String) {
        #expect(BluetoothAddress(text, kind: .random)?.description == text)
        #expect(BluetoothAddress(text.lowercased(), kind: .public)?.description == text)
    }

    @Test(
        "Text that is not an address is refused",
        arguments: [
            "", "00:AA:01:00:00", "00:AA:01:00:00:2F:01", "00AA0100002F", "0:AA:01:00:00:2F", "00:AA:01:00:00:2G",
            "00:AA:01:00:00:+2", "00:AA:01:00:00:-2", "00-AA-01-00-00-2F", "00:AA:01:00::2F",
        ]
    )
    func refused(_ text: String) {
        #expect(BluetoothAddress(text, kind: .public) == nil)
    }

    @Test("Addresses of different kinds are different")
    func kinds() {
        #expect(BluetoothAddress(number: 1, kind: .public) != BluetoothAddress(number: 1, kind: .random))
    }
}

@Suite("L2CAP socket addresses", .endsWithin(minutes: 10))
struct SocketAddressTests {
    @Test("A socket address has the bytes that the kernel expects")
    func layout() throws {
        let address = try #require(BluetoothAddress("00:AA:01:00:00:2F", kind: .random))
        let bytes = withUnsafeBytes(of: L2CAPEndpoint(address: address, psm: 0x0085).socketAddress) { Array($0) }
        // struct sockaddr_l2: family, psm, address, cid, type; little-endian (include/net/bluetooth/l2cap.h).
        let expected: [UInt8] = [31, 0, 0x85, 0, 0x2F, 0, 0, 0x01, 0xAA, 0, 0, 0, 2]
        #expect(Array(bytes.prefix(13)) == expected)
        #expect(MemoryLayout<sockaddr_l2>.size == 14)
    }

    @Test(
        "A socket address is converted back to the same endpoint",
        arguments: [BluetoothAddress.Kind.public, .random]
    )
    func roundTrip(_ kind: BluetoothAddress.Kind) {
        let endpoint = L2CAPEndpoint(address: BluetoothAddress(number: 0x1234_5678_9ABC, kind: kind), psm: 0xFF)
        #expect(L2CAPEndpoint(endpoint.socketAddress) == endpoint)
    }

    @Test("A socket address of another family or of BR/EDR is not an endpoint")
    func others() {
        var other = L2CAPEndpoint(address: .any, psm: 0x80).socketAddress
        other.l2_bdaddr_type = UInt8(BDADDR_BREDR)
        #expect(L2CAPEndpoint(other) == nil)
        #expect(L2CAPEndpoint(sockaddr_l2()) == nil)
    }
}
