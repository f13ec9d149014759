import Bluetooth
import TestLimits
import Testing

@Suite("A UUID", .endsWithin(minutes: 10))
struct BluetoothUUIDTests {
    @Test("is read in either case and written as bluetoothd does")
    func roundTrip() {
        let text = "0fbb09c3-c5a8-4d40-8d7d-f7f0a9a4cb4e"
        let uuid = BluetoothUUID(number: 0x0fbb09c3_c5a8_4d40_8d7d_f7f0a9a4cb4e)
        #expect(uuid.description == text)
        #expect(BluetoothUUID(text) == uuid)
        #expect(BluetoothUUID(text.uppercased()) == uuid)
    }

    @Test(
        "is refused when it is not one",
        arguments: [
            "", "180f", "0fbb09c3c5a84d408d7df7f0a9a4cb4e", "0fbb09c3-c5a8-4d40-8d7d-f7f0a9a4cb4",
            "0fbb09c3-c5a8-4d40-8d7d-f7f0a9a4cb4g", "+fbb09c3-c5a8-4d40-8d7d-f7f0a9a4cb4e",
            "0fbb09c3-c5a84-d40-8d7d-f7f0a9a4cb4e", "0fbb09c3-c5a8-4d40-8d7d-f7f0a9a4cb4e-",
        ]
    )
    func refused(_ text: String) {
        #expect(BluetoothUUID(text) == nil)
    }
}
