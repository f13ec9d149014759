import HandoffBus

/// Which of several activities nearby a command takes that was given no id.
enum ActivityPreference: Sendable {
    /// The nearest.
    case any
    /// The nearest that something on this device opens; if there is none, the nearest.
    case continuable
    /// The nearest that something on this device opens, and no other.
    case onlyContinuable

    /// The activities that may be taken, the first one first.
    ///
    /// - Parameter nearby: all of them, the nearest first.
    func ordered(_ nearby: [NearbyActivityDescription]) -> [NearbyActivityDescription] {
        let continuable = nearby.filter { $0.opensWith != "none" }
        return switch self {
        case .any: nearby
        case .continuable: continuable + nearby
        case .onlyContinuable: continuable
        }
    }
}
