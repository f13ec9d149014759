private import CLinux

/// Which subscriptions the watches of an inotify instance are for.
///
/// The kernel has one watch for each directory, whoever asks for it; it is removed when its last subscription has gone.
struct InotifyTable {
    /// Identifies a subscription.
    struct SubscriberID: Hashable {
        fileprivate let rawValue: UInt64
    }

    private var continuations: [SubscriberID: AsyncStream<Void>.Continuation] = [:]
    private var watches: [CInt: [SubscriberID: UInt32]] = [:]
    private var lastID: UInt64 = 0

    /// How many watches are being added at this moment.
    ///
    /// While there are any, no watch is removed, because the one that is being added may be the same, and events are kept for
    /// the one that is not in the table yet.
    private var adding = 0
    private var earlyEvents: [CInt: UInt32] = [:]

    mutating func subscribe(_ continuation: AsyncStream<Void>.Continuation) -> SubscriberID {
        lastID += 1
        let id = SubscriberID(rawValue: lastID)
        continuations[id] = continuation
        return id
    }

    /// - Returns: the watches that nobody needs any more.
    mutating func unsubscribe(_ id: SubscriberID) -> [CInt] {
        continuations[id] = nil
        for watch in watches.keys { watches[watch]?[id] = nil }
        return takeUnused()
    }

    mutating func beginAdding() {
        adding += 1
    }

    /// - Parameter watch: the one that was added; nil when none was.
    /// - Returns: the watches that nobody needs any more.
    mutating func endAdding(_ watch: CInt?, _ mask: UInt32, for id: SubscriberID) -> [CInt] {
        adding -= 1
        if let watch {
            watches[watch, default: [:]][id, default: 0] |= mask
            // A directory that was removed at once: its watch has gone with it.
            let early = earlyEvents[watch] ?? 0
            if early & UInt32(IN_IGNORED) != 0 { watches[watch] = nil }
            if early & (mask | Self.always) != 0 { continuations[id]?.yield() }
        }
        if adding == 0 { earlyEvents = [:] }
        return takeUnused()
    }

    /// The subscriptions that an event is for.
    mutating func subscribers(of watch: CInt, _ mask: UInt32) -> [AsyncStream<Void>.Continuation] {
        // inotify(7): the queue was too long, and any event may be missing.
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

    /// The watch has gone, or the file system has.
    private static var always: UInt32 { UInt32(IN_IGNORED | IN_UNMOUNT) }
}
