import HandoffCrypto
import HandoffModel

/// The activity types, with their teams, that this device can find by their hash.
///
/// An advertisement carries four bytes of a SHA-256, which cannot be reversed: a type is known when an app here has used
/// it, or an activity of it was fetched here, now or in an earlier run of the daemon.
struct KnownTypes: Sendable {
    /// The maximum number of types; the oldest one is forgotten first.
    static let maximumCount = 1024

    private var kinds: [ActivityTypeHash: ActivityKind] = [:]
    private var order: [ActivityTypeHash] = []

    /// How many types were learnt in this run of the daemon.
    private(set) var learntCount: UInt64 = 0

    /// Makes the types that an earlier run has learnt, in that order.
    init(_ kinds: [ActivityKind] = []) {
        for kind in kinds { _ = learn(kind) }
        learntCount = 0
    }

    /// All types, in the order in which they were learnt.
    var all: [ActivityKind] { order.compactMap { kinds[$0] } }

    /// Returns the type and team with that hash, if known.
    subscript(hash: ActivityTypeHash) -> ActivityKind? { kinds[hash] }

    /// Remembers a type; returns whether it is new.
    mutating func learn(_ kind: ActivityKind) -> Bool {
        let hash = kind.hash
        guard kinds.updateValue(kind, forKey: hash) == nil else { return false }
        order.append(hash)
        learntCount += 1
        if order.count > Self.maximumCount { kinds[order.removeFirst()] = nil }
        return true
    }
}
