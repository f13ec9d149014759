/// What a device tells everybody near it: a service and up to ten bytes.
package struct Advertisement: Hashable, Sendable {
    /// The largest number of data bytes.
    ///
    /// A legacy advertisement has 31 bytes (Bluetooth Core, Vol 6, Part B, 2.3.1); flags take 3, and service data under
    /// a 128-bit UUID a header of 18.
    package static let maximumDataLength = 10

    /// How often the advertisement is repeated.
    package enum Pace: Hashable, Sendable {
        /// For the first while after a change: every 152.5 ms.
        case fast
        /// From then on: every 417.5 ms.
        case relaxed
    }

    /// The service under which the data stands.
    package let service: ServiceUUID

    /// 1…``maximumDataLength`` bytes.
    package let data: [UInt8]

    package let pace: Pace

    package init(service: ServiceUUID, data: [UInt8], pace: Pace) {
        self.service = service
        self.data = data
        self.pace = pace
    }
}

/// One advertisement as it was heard.
package struct AdvertisementReport: Hashable, Sendable {
    /// Where it came from; good for dialling now, worthless as identity.
    package let address: RadioAddress

    package let service: ServiceUUID

    /// The advertised bytes; any number of them, from anybody.
    package let data: [UInt8]

    /// The signal strength in dBm, -127…20, or nil when the radio does not know.
    package let rssi: Int8?

    package init(address: RadioAddress, service: ServiceUUID, data: [UInt8], rssi: Int8?) {
        self.address = address
        self.service = service
        self.data = data
        self.rssi = rssi
    }
}
