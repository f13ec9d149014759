import DBus

/// Keeps a value constant while a device reads it in several parts.
///
/// A value longer than one packet is read by several calls of ReadValue with increasing offsets. If it were computed
/// again for each, the device would combine parts of different values.
struct LongReads {
    /// The maximum length of an attribute value in bytes (Bluetooth Core, Vol 3, Part F, 3.2.9).
    static let maximumLength = 512

    /// The maximum number of devices that can read at the same time; more than any controller has links.
    static let maximumDevices = 32

    private var values: [ObjectPath: [UInt8]] = [:]
    private var order: [ObjectPath] = []

    /// Returns the rest of the value from `request.offset` on; `current` is called when a read begins.
    ///
    /// - Throws: `invalidOffset` for an offset beyond the end, `failed` for a value that is too long; bluetoothd
    ///   answers both with an ATT error.
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
