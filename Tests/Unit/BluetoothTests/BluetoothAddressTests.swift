import Bluetooth
import TestLimits
import Testing

@Suite("A Bluetooth address", .endsWithin(minutes: 10))
struct BluetoothAddressTests {
    @Test("is read and written as bluetoothd does", arguments: ["00:AA:01:00:00:2F", "FF:FF:FF:FF:FF:FF"])
    func roundTrip(_ text: String) {
        #expect(BluetoothAddress(text, kind: .random)?.text == text)
        #expect(BluetoothAddress(text.lowercased(), kind: .public)?.text == text)
    }

    @Test(
        "is refused when it is not one",
        arguments: [
            "", "00:AA:01:00:00", "00:AA:01:00:00:2F:01", "00AA0100002F", "0:AA:01:00:00:2F", "00:AA:01:00:00:2G",
            "00:AA:01:00:00:+2", "00:AA:01:00:00:-2", "00-AA-01-00-00-2F", "00:AA:01:00::2F",
        ]
    )
    func refused(_ text: String) {
        #expect(BluetoothAddress(text, kind: .public) == nil)
    }

    @Test("of another kind is another address")
    func kinds() {
        #expect(BluetoothAddress(number: 1, kind: .public) != BluetoothAddress(number: 1, kind: .random))
    }

    @Test(
        "with its kind is refused when it is not one",
        arguments: [
            "", "/random", "AA:BB:CC:DD:EE/random", "AA:BB:CC:DD:EE:FF", "AA:BB:CC:DD:EE:FG/public",
            "A:B:C:D:E:F/public",
        ]
    )
    func invalid(text: String) {
        #expect(BluetoothAddress(description: text) == nil)
    }

    @Test("with its kind reads back as it was written")
    func roundTripWithKind() throws {
        let address = try #require(BluetoothAddress(description: "aa:bb:cc:dd:ee:ff/random"))
        #expect(address.description == "AA:BB:CC:DD:EE:FF/random")
        #expect(BluetoothAddress(description: address.description) == address)
    }
}
