package import Bluetooth
package import DBus

/// A GATT service that is published by ``BlueZ/withApplication(_:on:_:)``.
package struct GATTService: Sendable {
    package let uuid: BluetoothUUID

    package let characteristics: [GATTCharacteristic]

    package init(uuid: BluetoothUUID, characteristics: [GATTCharacteristic]) {
        self.uuid = uuid
        self.characteristics = characteristics
    }
}

/// A characteristic that any device in range can read or write without pairing; values that need protection must be
/// protected by the caller.
///
/// A flag that requires encryption would make bluetoothd pair, and the peer show a pairing dialog.
package struct GATTCharacteristic: Sendable {
    package let uuid: BluetoothUUID

    /// Returns the value for a reading device; nil if the characteristic cannot be read.
    ///
    /// Called on the loop's thread: must be quick.
    package let read: (@Sendable (GATTRequest) throws(GATTRefusal) -> [UInt8])?

    /// Accepts a value from a device; nil if the characteristic cannot be written.
    ///
    /// Called on the loop's thread: must be quick.
    package let write: (@Sendable ([UInt8], GATTRequest) throws(GATTRefusal) -> Void)?

    /// Sends notifications of the characteristic; nil if it does not notify.
    package let notifier: GATTNotifier?

    package init(
        uuid: BluetoothUUID,
        read: (@Sendable (GATTRequest) throws(GATTRefusal) -> [UInt8])? = nil,
        write: (@Sendable ([UInt8], GATTRequest) throws(GATTRefusal) -> Void)? = nil,
        notifier: GATTNotifier? = nil
    ) {
        self.uuid = uuid
        self.read = read
        self.write = write
        self.notifier = notifier
    }

    /// The flags of org.bluez.GattCharacteristic1; an unknown flag would make the registration of the whole application
    /// fail.
    var flags: [String] {
        (read == nil ? [] : ["read"]) + (write == nil ? [] : ["write"]) + (notifier == nil ? [] : ["notify"])
    }
}

/// The parameters of a read or write by a device.
package struct GATTRequest: Hashable, Sendable {
    /// The path of the device's object; it does not authenticate the device.
    package let device: ObjectPath?

    /// The ATT MTU of the link, if bluetoothd reports it.
    package let mtu: UInt16?

    /// The offset in the value at which to begin, in bytes.
    package let offset: Int

    /// Whether bluetoothd only asks whether a long write would be allowed.
    let isPrepareAuthorize: Bool

    /// Parses the options of ReadValue and WriteValue.
    ///
    /// `device` and `mtu` are always present, `offset` only if it is not zero (bluez src/gatt-database.c,
    /// append_options).
    init(options: Value?) {
        let options = options?.stringDictionary ?? [:]
        device = options["device"]?.objectPath
        mtu = options["mtu"]?.uint16
        offset = Int(options["offset"]?.uint16 ?? 0)
        isPrepareAuthorize = options["prepare-authorize"]?.boolean ?? false
    }
}

/// The reason why a characteristic was not read or written, as an ATT error.
package enum GATTRefusal: Error, Hashable, Sendable {
    case failed
    case inProgress
    case notPermitted
    case invalidOffset
    case invalidLength
    case notSupported
}
