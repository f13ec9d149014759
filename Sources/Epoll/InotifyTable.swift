private import CLinux

/// The subscriptions to the watches of an inotify instance.
///
/// The kernel has one watch for each directory, shared by all its subscriptions; it is removed with the last of them.
struct InotifyTable {
    /// Identifies a subscription.
    struct SubscriberID: Hashable {
        fileprivate let rawValue: UInt64
    }

    private var continuations: [SubscriberID: AsyncStream<Void>.Continuation] = [:]
    private var watches: [CInt: [SubscriberID: UInt32]] = [:]
    private var lastID: UInt64 = 0

    /// The number of watches that are being added at the moment.
    ///
    /// While there are any, no watch is removed, because it may be the one being added, and events are kept for watches
    /// that are not in the table yet.
    private var adding = 0
    private var earlyEvents: [CInt: UInt32] = [:]

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

    mutating func beginAdding() {
        adding += 1
    }

    /// - Parameter watch: the added watch; nil if adding failed.
    /// - Returns: the watches that are no longer needed.
    mutating func endAdding(_ watch: CInt?, _ mask: UInt32, for id: SubscriberID) -> [CInt] {
        adding -= 1
        if let watch {
            watches[watch, default: [:]][id, default: 0] |= mask
            // The directory was removed in the meantime, and its watch with it.
            let early = earlyEvents[watch] ?? 0
            if early & UInt32(IN_IGNORED) != 0 { watches[watch] = nil }
            if early & (mask | Self.always) != 0 { continuations[id]?.yield() }
        }
        if adding == 0 { earlyEvents = [:] }
        return takeUnused()
    }

    /// Returns the subscriptions to which an event is delivered.
    mutating func subscribers(of watch: CInt, _ mask: UInt32) -> [AsyncStream<Void>.Continuation] {
        // inotify(7): the queue has overflowed, and any event may be missing.
        if mask & UInt32(IN_Q_OVERFLOW) != 0 { return Array(continuations.values) }
        if adding > 0 { earlyEvents[watch, default: 0] |= mask }
        let subscribers = watches[watch] ?? [:]
        if mask & UInt32(IN_IGNORED) != 0 { watches[watch] = nil }
        return subscribers.compactMap { id, wanted in mask & (wanted | Self.always) == 0 ? nil : continuations[id] }
    }

    private mutating func takeUnused() -> [CInt] {
        guard adding == 0 else { return [] }
        let unused = watches.filter(\.value.isEmpty).map(\.key)
        for watch in unused { watches[watch] = nil }
        return unused
    }

    /// The watch was removed, or the file system was unmounted.
    private static var always: UInt32 { UInt32(IN_IGNORED | IN_UNMOUNT) }
}
