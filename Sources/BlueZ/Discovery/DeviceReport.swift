package import Bluetooth
package import DBus

/// One report of discovery about a device.
package struct DeviceReport: Hashable, Sendable {
    /// The path of the device's object.
    package let path: ObjectPath

    package let address: BluetoothAddress

    /// Service data by UUID.
    ///
    /// The data of the received packet, or the last known data if only the signal strength was reported; the latter may
    /// include earlier data under another UUID.
    package let serviceData: [BluetoothUUID: [UInt8]]

    /// The signal strength in dBm; nil if the controller does not report it.
    package let rssi: Int8?
}
