private import Glibc

/// The subscriptions to the watches of an inotify instance.
///
/// The kernel has one watch for each directory, shared by all its subscriptions; it is removed with the last of them.
struct InotifyTable {
    /// Identifies a subscription.
    struct SubscriberID: Hashable {
        fileprivate let rawValue: UInt64
    }

    /// Identifies a watch that is being added.
    struct AdditionID: Hashable {
        fileprivate let rawValue: UInt64
    }

    private var continuations: [SubscriberID: AsyncStream<Void>.Continuation] = [:]
    private var watches: [CInt: [SubscriberID: UInt32]] = [:]
    private var lastID: UInt64 = 0
    private var lastAddition: UInt64 = 0

    /// For each watch that is being added at the moment: the events since the addition began, of all watches.
    ///
    /// While there are any, no watch is removed, because it may be the one being added. The events are kept because the
    /// new watch is not in the table yet.
    private var additions: [AdditionID: [CInt: UInt32]] = [:]

    mutating func subscribe(_ continuation: AsyncStream<Void>.Continuation) -> SubscriberID {
        lastID += 1
        let id = SubscriberID(rawValue: lastID)
        continuations[id] = continuation
        return id
    }

    /// - Returns: the watches that are no longer needed.
    mutating func unsubscribe(_ id: SubscriberID) -> [CInt] {
        continuations[id] = nil
        for watch in watches.keys { watches[watch]?[id] = nil }
        return takeUnused()
    }

    mutating func beginAdding() -> AdditionID {
        lastAddition += 1
        let addition = AdditionID(rawValue: lastAddition)
        additions[addition] = [:]
        return addition
    }

    /// - Parameters:
    ///   - addition: what ``beginAdding()`` returned.
    ///   - watch: the added watch; nil if adding failed.
    ///   - mask: the events that were asked for.
    ///   - id: the subscription that gets them.
    /// - Returns: the watches that are no longer needed.
    mutating func endAdding(
        _ addition: AdditionID,
        _ watch: CInt?,
        _ mask: UInt32,
        for id: SubscriberID
    ) -> [CInt] {
        let earlyEvents = additions.removeValue(forKey: addition) ?? [:]
        if let watch {
            watches[watch, default: [:]][id, default: 0] |= mask
            // The directory was removed in the meantime, and its watch with it.
            let early = earlyEvents[watch] ?? 0
            if early & UInt32(IN_IGNORED) != 0 { watches[watch] = nil }
            if early & (mask | Self.always) != 0 { continuations[id]?.yield() }
        }
        return takeUnused()
    }

    /// Returns the subscriptions to which an event is delivered.
    mutating func subscribers(of watch: CInt, _ mask: UInt32) -> [AsyncStream<Void>.Continuation] {
        // inotify(7): the queue has overflowed, and any event may be missing.
        if mask & UInt32(IN_Q_OVERFLOW) != 0 { return Array(continuations.values) }
        for addition in additions.keys { additions[addition]?[watch, default: 0] |= mask }
        let subscribers = watches[watch] ?? [:]
        if mask & UInt32(IN_IGNORED) != 0 { watches[watch] = nil }
        return subscribers.compactMap { id, wanted in mask & (wanted | Self.always) == 0 ? nil : continuations[id] }
    }

    private mutating func takeUnused() -> [CInt] {
        guard additions.isEmpty else { return [] }
        let unused = watches.filter(\.value.isEmpty).map(\.key)
        for watch in unused { watches[watch] = nil }
        return unused
    }

    /// The watch was removed, or the file system was unmounted.
    private static var always: UInt32 { UInt32(IN_IGNORED | IN_UNMOUNT) }
}
