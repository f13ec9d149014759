package import DBus

/// A GATT service that is published by ``BlueZ/withApplication(_:on:_:)``.
package struct GATTService: Sendable {
    /// A lower-case 128-bit UUID.
    package let uuid: String

    package let characteristics: [GATTCharacteristic]

    package init(uuid: String, characteristics: [GATTCharacteristic]) {
        self.uuid = uuid
        self.characteristics = characteristics
    }
}

/// A characteristic that anybody near may read or write, without pairing: whoever needs more protects the value itself.
///
/// A flag that asks for encryption would make bluetoothd pair, and a window pop up on the other side.
package struct GATTCharacteristic: Sendable {
    /// A lower-case 128-bit UUID.
    package let uuid: String

    /// The value for the device that asks; nil if it cannot be read.
    ///
    /// Called on the connection's thread: must be quick.
    package let read: (@Sendable (GATTRequest) throws(GATTRefusal) -> [UInt8])?

    /// Takes a value from a device; nil if it cannot be written.
    ///
    /// Called on the connection's thread: must be quick.
    package let write: (@Sendable ([UInt8], GATTRequest) throws(GATTRefusal) -> Void)?

    /// Sends its notifications; nil if it has none.
    package let notifier: GATTNotifier?

    package init(
        uuid: String,
        read: (@Sendable (GATTRequest) throws(GATTRefusal) -> [UInt8])? = nil,
        write: (@Sendable ([UInt8], GATTRequest) throws(GATTRefusal) -> Void)? = nil,
        notifier: GATTNotifier? = nil
    ) {
        self.uuid = uuid
        self.read = read
        self.write = write
        self.notifier = notifier
    }

    /// The flags of org.bluez.GattCharacteristic1; an unknown one would fail the whole application.
    var flags: [String] {
        (read == nil ? [] : ["read"]) + (write == nil ? [] : ["write"]) + (notifier == nil ? [] : ["notify"])
    }
}

/// Who reads or writes, and which part.
package struct GATTRequest: Hashable, Sendable {
    /// The device's object; says nothing about who it is.
    package let device: ObjectPath?

    /// The ATT MTU of the link, if it was told.
    package let mtu: UInt16?

    /// Where in the value to begin.
    package let offset: Int

    /// Whether bluetoothd only asks if a long write would be allowed.
    let isPrepareAuthorize: Bool

    /// Reads the options of ReadValue and WriteValue.
    ///
    /// `device` and `mtu` are always there, `offset` only when it is not zero (bluez src/gatt-database.c,
    /// append_options).
    init(options: Value?) {
        let options = options?.stringDictionary ?? [:]
        device = options["device"]?.objectPath
        mtu = options["mtu"]?.uint16
        offset = Int(options["offset"]?.uint16 ?? 0)
        isPrepareAuthorize = options["prepare-authorize"]?.boolean ?? false
    }
}

/// Why a characteristic was not read or written, in the words of ATT.
package enum GATTRefusal: Error, Hashable, Sendable {
    case failed
    case inProgress
    case notPermitted
    case invalidOffset
    case invalidLength
    case notSupported
}
