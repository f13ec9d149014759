import Bluetooth

/// A file of a station in the directory `stations` of its air; the name contains all its information.
enum StationFile: Hashable, Sendable {
    /// The lock file, locked while the station is alive.
    case lock(StationID)
    /// A datagram socket that receives reports; the name of the station is for the rules of the air.
    case scanSocket(StationID, name: String, number: Int)
    /// A listening socket for dials, while the station advertises from `address`.
    case channelSocket(StationID, address: BluetoothAddress)

    /// The station that owns the file.
    var station: StationID {
        switch self {
        case .lock(let station), .scanSocket(let station, _, _), .channelSocket(let station, _): station
        }
    }

    var fileName: String {
        switch self {
        case .lock(let station): "\(station.text).life"
        case .scanSocket(let station, let name, let number): "\(station.text).\(name).\(number).ear"
        case .channelSocket(let station, let address): "\(station.text).\(address.hexadecimal).door"
        }
    }

    /// Parses a file name; nil if it is not a station's file.
    init?(fileName: String) {
        let parts = fileName.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard let first = parts.first, let station = StationID(first) else { return nil }
        switch (parts.count, parts[parts.count - 1]) {
        case (2, "life"): self = .lock(station)
        case (4, "ear"):
            guard let number = Int(parts[2]) else { return nil }
            self = .scanSocket(station, name: parts[1], number: number)
        case (3, "door"):
            guard let address = BluetoothAddress(hexadecimal: parts[1]) else { return nil }
            self = .channelSocket(station, address: address)
        default: return nil
        }
    }
}
