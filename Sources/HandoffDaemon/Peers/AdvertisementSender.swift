import HandoffModel

/// The sender and the audience of an advertisement.
enum AdvertisementSender: Hashable, Sendable {
    /// Sent by a device to its whole circle.
    case all(DeviceID)
    /// Sent by a device to this one alone, because it has a circle update for it.
    case directed(from: DeviceID)
    /// Sealed under this device's own key.
    case own

    /// The sending device; nil for this device, or a copy of it.
    var device: DeviceID? {
        switch self {
        case .all(let device), .directed(let device): device
        case .own: nil
        }
    }

    /// Whether the advertisement is directed to this device: its sender has a circle update for it.
    var isDirected: Bool {
        switch self {
        case .all, .own: false
        case .directed: true
        }
    }
}
