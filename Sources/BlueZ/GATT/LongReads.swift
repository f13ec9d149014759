import DBus

/// Keeps a value still while a device reads it piece by piece.
///
/// A value longer than one packet is fetched by ReadValue again and again, each time with a larger offset; were it
/// computed anew each time, pieces of different values would be put together.
struct LongReads {
    /// The longest value that an attribute can have (Bluetooth Core, Vol 3, Part F, 3.2.9).
    static let maximumLength = 512

    /// How many devices can read at the same time; more than any controller has links.
    static let maximumDevices = 32

    private var values: [ObjectPath: [UInt8]] = [:]
    private var order: [ObjectPath] = []

    /// The rest of the value from `request.offset` on; `current` is asked when a read begins.
    ///
    /// - Throws: `invalidOffset` for an offset beyond the end, `failed` for a value that is too long: both make
    ///   bluetoothd answer an ATT error.
    mutating func read(
        _ request: GATTRequest,
        _ current: (GATTRequest) throws(GATTRefusal) -> [UInt8]
    ) throws(GATTRefusal) -> [UInt8] {
        let device = request.device ?? .root
        let kept = request.offset == 0 ? nil : values[device]
        let value = if let kept { kept } else { try current(request) }
        guard value.count <= Self.maximumLength else { throw .failed }
        guard request.offset <= value.count else { throw .invalidOffset }
        store(value, for: device)
        return Array(value.dropFirst(request.offset))
    }

    private mutating func store(_ value: [UInt8], for device: ObjectPath) {
        if values.updateValue(value, forKey: device) == nil {
            order.append(device)
        }
        if order.count > Self.maximumDevices {
            values[order.removeFirst()] = nil
        }
    }
}
