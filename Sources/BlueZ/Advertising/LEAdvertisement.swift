import DBus

/// A connectable legacy advertisement with one service-data entry, as bluetoothd is told of it.
package struct LEAdvertisement: Hashable, Sendable {
    /// The service, as a lower-case 128-bit UUID.
    package let service: String

    /// What stands under the service.
    package let data: [UInt8]

    /// The shortest and the longest time between two packets, in milliseconds, 20…10485000.
    ///
    /// Heeded from BlueZ 5.77 on (commit 7e028287a) and ignored before; both ends must be given.
    package let interval: ClosedRange<UInt32>

    package init(service: String, data: [UInt8], interval: ClosedRange<UInt32>) {
        self.service = service
        self.data = data
        self.interval = interval
    }

    /// The properties of org.bluez.LEAdvertisement1.
    ///
    /// - `Discoverable` puts the flags into the packet, without which programs that scan without a filter do not see it.
    /// - No LocalName, which would be sent to everybody in the scan response.
    /// - No TxPower: bluetoothd writes it back, and heeds a change by advertising anew.
    var properties: [(name: MemberName, value: Value)] {
        [
            ("Type", .string("peripheral")),
            ("ServiceData", [service: Value.bytes(data)].value),
            ("Discoverable", .boolean(true)),
            ("MinInterval", .uint32(interval.lowerBound)),
            ("MaxInterval", .uint32(interval.upperBound)),
        ]
    }

    /// The object for bluetoothd to read, and to call when it has taken the advertisement off the air.
    ///
    /// The values never change: until commit 6b5447583 (5.74), an update that the kernel refuses ends bluetoothd.
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
