package import Bluetooth

/// An advertisement for all devices nearby: a service and up to ten bytes of data.
package struct Advertisement: Hashable, Sendable {
    /// The largest number of data bytes.
    ///
    /// A legacy advertisement has 31 bytes (Bluetooth Core, Vol 6, Part B, 2.3.1); flags take 3, and service data under
    /// a 128-bit UUID a header of 18.
    package static let maximumDataLength = 10

    /// How often the advertisement is repeated.
    package enum Pace: Hashable, Sendable {
        /// For ten minutes after a change: every 152.5 ms.
        case fast
        /// After that: every 417.5 ms.
        case relaxed
    }

    /// The service to which the data belongs.
    package let service: BluetoothUUID

    /// 1…``maximumDataLength`` bytes.
    package let data: [UInt8]

    package let pace: Pace

    package init(service: BluetoothUUID, data: [UInt8], pace: Pace) {
        self.service = service
        self.data = data
        self.pace = pace
    }
}

/// One received advertisement.
package struct AdvertisementReport: Hashable, Sendable {
    /// The sender's address: it can be dialled now, but does not identify the device.
    package let address: RadioAddress

    package let service: BluetoothUUID

    /// The advertised bytes: untrusted, of any length.
    package let data: [UInt8]

    /// The signal strength in dBm, -127…20, or nil if unknown.
    package let rssi: Int8?

    package init(address: RadioAddress, service: BluetoothUUID, data: [UInt8], rssi: Int8?) {
        self.address = address
        self.service = service
        self.data = data
        self.rssi = rssi
    }
}
