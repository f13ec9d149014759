import HandoffCore
import HandoffCore
import HandoffModel

/// The activity types that this device can name when it hears their hash.
///
/// An advertisement carries five bytes of the type's SHA-256, which cannot be undone: a type is known when an app here
/// has used it, or an activity of it was continued here.
struct KnownTypes: Sendable {
    /// How many types are remembered; the one learnt first is forgotten first.
    static let maximumCount = 1024

    private var types: [ActivityTypeHash: ActivityType] = [:]
    private var order: [ActivityTypeHash] = []

    /// The type of that hash, where known.
    subscript(hash: ActivityTypeHash) -> ActivityType? { types[hash] }

    /// Remembers a type; true when it was not known.
    mutating func learn(_ type: ActivityType) -> Bool {
        guard types.updateValue(type, forKey: type.hash) == nil else { return false }
        order.append(type.hash)
        if order.count > Self.maximumCount { types[order.removeFirst()] = nil }
        return true
    }
}
