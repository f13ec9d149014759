import Bluetooth
import HandoffRadio

/// An advertisement in transit from one station to one scan socket.
struct AdvertisementPacket: Hashable, Sendable {
    let sender: StationID
    let senderName: String
    let address: BluetoothAddress
    let rssi: Int8
    /// The time of arrival, on the clock that all processes of the machine share.
    let due: Instant
    let service: BluetoothUUID
    let data: [UInt8]

    /// The maximum length of a datagram, more than any report has.
    static let maximumLength = 256

    var bytes: [UInt8] {
        var writer = PacketWriter()
        writer.append(sender.text)
        writer.append(senderName)
        writer.append(address.bytes)
        writer.append([UInt8(bitPattern: rssi)])
        writer.append(due.nanoseconds)
        writer.append(service.description)
        writer.append(data)
        return writer.bytes
    }
}

extension AdvertisementPacket {
    /// Parses a datagram; nil if it is not a report.
    init?(_ bytes: [UInt8]) {
        var reader = PacketReader(bytes)
        guard let sender = reader.text().flatMap(StationID.init), let senderName = reader.name(),
            let address = reader.bytes().flatMap(BluetoothAddress.init(bytes:)),
            let rssi = reader.bytes(), rssi.count == 1,
            let due = reader.number(),
            let service = reader.text().flatMap(BluetoothUUID.init), let data = reader.bytes()
        else { return nil }
        self.init(
            sender: sender,
            senderName: senderName,
            address: address,
            rssi: Int8(bitPattern: rssi[0]),
            due: Instant(nanoseconds: due),
            service: service,
            data: data
        )
    }
}
