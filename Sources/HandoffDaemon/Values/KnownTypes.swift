import HandoffCrypto
import HandoffModel

/// The activity types that this device can find by their hash.
///
/// An advertisement carries four bytes of the type's SHA-256, which cannot be reversed: a type is known when an app
/// here has used it, or an activity of it was fetched here, now or in an earlier run of the daemon.
struct KnownTypes: Sendable {
    /// The maximum number of types; the oldest one is forgotten first.
    static let maximumCount = 1024

    private var types: [ActivityTypeHash: ActivityType] = [:]
    private var order: [ActivityTypeHash] = []

    /// How many types were learnt in this run of the daemon.
    private(set) var learntCount: UInt64 = 0

    /// Makes the types that an earlier run has learnt, in that order.
    init(_ types: [ActivityType] = []) {
        for type in types { _ = learn(type) }
        learntCount = 0
    }

    /// All types, in the order in which they were learnt.
    var all: [ActivityType] { order.compactMap { types[$0] } }

    /// Returns the type with that hash, if known.
    subscript(hash: ActivityTypeHash) -> ActivityType? { types[hash] }

    /// Remembers a type; returns whether it is new.
    mutating func learn(_ type: ActivityType) -> Bool {
        guard types.updateValue(type, forKey: type.hash) == nil else { return false }
        order.append(type.hash)
        learntCount += 1
        if order.count > Self.maximumCount { types[order.removeFirst()] = nil }
        return true
    }
}
