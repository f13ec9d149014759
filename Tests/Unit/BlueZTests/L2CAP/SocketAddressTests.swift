import Bluetooth
import CBluetooth
import Glibc
@testable import BlueZ
import Testing
import TestLimits

@Suite("A socket address", .endsWithin(minutes: 10))
struct SocketAddressTests {
    @Test("has the bytes that the kernel expects")
    func layout() throws {
        let address = try #require(BluetoothAddress("00:AA:01:00:00:2F", kind: .random))
        let bytes = withUnsafeBytes(of: sockaddr_l2(address, LEPSM(exactly: 0x85))) { Array($0) }
        // struct sockaddr_l2: family, psm, address, cid, type; little-endian (include/net/bluetooth/l2cap.h).
        let expected: [UInt8] = [31, 0, 0x85, 0, 0x2F, 0, 0, 0x01, 0xAA, 0, 0, 0, 2]
        #expect(Array(bytes.prefix(13)) == expected)
        #expect(MemoryLayout<sockaddr_l2>.size == 14)
    }

    @Test("reads back as the endpoint it was made from", arguments: [BluetoothAddress.Kind.public, .random])
    func roundTrip(_ kind: BluetoothAddress.Kind) {
        let endpoint = L2CAPEndpoint(
            address: BluetoothAddress(number: 0x1234_5678_9ABC, kind: kind),
            psm: .gattOnly
        )
        #expect(L2CAPEndpoint(sockaddr_l2(endpoint.address, endpoint.psm)) == endpoint)
    }

    @Test("of another family, or of BR/EDR, is none")
    func others() {
        var other = sockaddr_l2(.any, LEPSM(exactly: 0x80))
        other.l2_bdaddr_type = UInt8(BDADDR_BREDR)
        #expect(L2CAPEndpoint(other) == nil)
        #expect(L2CAPEndpoint(sockaddr_l2()) == nil)
        #expect(L2CAPEndpoint(sockaddr_l2(.any, nil)) == nil)
    }
}
