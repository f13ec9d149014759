import HandoffModel

/// Whose advertisement it is, and whom it is for.
enum AdvertisementSender: Hashable, Sendable {
    /// A device says something to its whole circle.
    case all(DeviceID)
    /// A device says something to this one alone: it has news for it.
    case directed(from: DeviceID)
    /// It is sealed under this device's own key.
    case own

    /// Who says it; nil for this device, or a copy of it.
    var device: DeviceID? {
        switch self {
        case .all(let device), .directed(let device): device
        case .own: nil
        }
    }

    /// Whether the device has news for this one.
    var isDirected: Bool {
        switch self {
        case .all, .own: false
        case .directed: true
        }
    }
}
