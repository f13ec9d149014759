import HandoffModel

/// Whom a device says something to with an advertisement.
enum Audience: Hashable, Sendable {
    /// The whole circle of that device.
    case all(DeviceID)
    /// This device alone: the other has news for it.
    case news(from: DeviceID)

    /// Who says it.
    var device: DeviceID {
        switch self {
        case .all(let device), .news(let device): device
        }
    }

    var isNews: Bool {
        switch self {
        case .all: false
        case .news: true
        }
    }
}
