package import Bluetooth
import DBus

/// A connectable legacy advertisement with one service-data entry, as it is registered with bluetoothd.
package struct LEAdvertisement: Hashable, Sendable {
    /// The UUID of the service.
    package let service: BluetoothUUID

    /// The service data.
    package let data: [UInt8]

    /// The minimum and maximum advertising interval in milliseconds, 20…10485000.
    ///
    /// Applied from BlueZ 5.77 on (commit 7e028287a) and ignored before; both bounds are required.
    package let interval: ClosedRange<UInt32>

    package init(service: BluetoothUUID, data: [UInt8], interval: ClosedRange<UInt32>) {
        self.service = service
        self.data = data
        self.interval = interval
    }

    /// The properties of org.bluez.LEAdvertisement1.
    ///
    /// - `Discoverable` adds the flags to the packet, without which programs that scan without a filter do not see it.
    /// - No LocalName, which would be sent to every scanner in the scan response.
    /// - No TxPower: bluetoothd writes it back, and restarts advertising upon a change.
    var properties: [(name: MemberName, value: Value)] {
        [
            ("Type", .string("peripheral")),
            ("ServiceData", [service.description: Value.bytes(data)].value),
            ("Discoverable", .boolean(true)),
            ("MinInterval", .uint32(interval.lowerBound)),
            ("MaxInterval", .uint32(interval.upperBound)),
        ]
    }

    /// The interface that bluetoothd reads, and whose Release it calls when it has stopped the advertisement.
    ///
    /// The values never change: before commit 6b5447583 (5.74), an update that the kernel refuses terminates
    /// bluetoothd.
    func interface(released: @escaping @Sendable () -> Void) -> Interface {
        let release = Method(name: "Release", inputs: [], outputs: []) { _ in
            released()
            return .reply([])
        }
        let properties = properties.map { name, value in
            Property(name: name, type: value.type, changes: .constant) { value }
        }
        return Interface(name: "org.bluez.LEAdvertisement1", methods: [release], properties: properties)
    }
}
