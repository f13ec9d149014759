package import HandoffModel

/// A limit on the number of sessions of peers that have proved who they are, which always admits a newcomer.
///
/// When the limit is reached, the owner with the most places loses its oldest one. So a device that opens many sessions
/// ends its own. Peers that have proved nothing wait in line for other places (``HandshakeQueue``).
package struct AdmissionControl<Owner: Hashable & Sendable>: Sendable {
    /// The id of one admission; never reused.
    package typealias ID = SerialID<AdmissionControl>

    private struct Entry: Sendable {
        let id: ID
        let owner: Owner
    }

    private let limit: Int
    /// The admitted peers, oldest first.
    private var entries: [Entry] = []
    private var nextID: ID = 1

    /// Creates a limit of `limit` peers, at least one.
    package init(limit: Int) {
        precondition(limit > 0, "the limit must be positive")
        self.limit = limit
    }

    /// The number of admitted peers.
    package var count: Int { entries.count }

    /// Admits a peer; returns its id, and the id of the admission that is evicted for it, if any.
    package mutating func admit(_ owner: Owner) -> (id: ID, evicted: ID?) {
        let entry = Entry(id: nextID, owner: owner)
        nextID = nextID.next
        var evicted: ID?
        if entries.count == limit {
            let index = evictionIndex(with: owner)
            evicted = entries.remove(at: index).id
        }
        entries.append(entry)
        return (entry.id, evicted)
    }

    /// Ends an admission; does nothing if it was evicted already.
    package mutating func release(_ id: ID) {
        entries.removeAll { $0.id == id }
    }

    /// Returns the index of the oldest admission of the owner that has the most, counting `newcomer` once more.
    private func evictionIndex(with newcomer: Owner) -> Int {
        var counts: [Owner: Int] = [:]
        for entry in entries { counts[entry.owner, default: entry.owner == newcomer ? 1 : 0] += 1 }
        let most = counts.values.max() ?? 0
        return entries.firstIndex { counts[$0.owner] == most } ?? 0
    }
}
