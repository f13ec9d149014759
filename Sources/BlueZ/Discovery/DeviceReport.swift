package import DBus

/// What discovery says about one device at one moment.
package struct DeviceReport: Hashable, Sendable {
    /// The device's object.
    package let path: ObjectPath

    package let address: DeviceAddress

    /// Service data under lower-case 128-bit UUIDs.
    ///
    /// What was advertised now, or what was last known when only the signal strength came; that may hold what the device
    /// advertised earlier under another UUID.
    package let serviceData: [String: [UInt8]]

    /// The signal strength in dBm, or nil when the controller does not know.
    package let rssi: Int8?
}
