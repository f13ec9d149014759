/// Room for a bounded number of peers of whom nothing is known for sure; a newcomer always gets a seat.
///
/// When all are taken, one of whoever has the most gives way, the one that has sat longest. So a crowd under one name
/// displaces itself, and a crowd under many names has to come again and again, faster than an honest peer needs its seat.
package struct AdmissionControl<Owner: Hashable & Sendable>: Sendable {
    /// The number of one stay; never used twice.
    package typealias ID = UInt64

    private struct Entry: Sendable {
        let id: ID
        let owner: Owner
    }

    private let limit: Int
    /// Those that are taken, the longest stay first.
    private var entries: [Entry] = []
    private var nextID: ID = 1

    /// Room for `limit` peers, at least one.
    package init(limit: Int) {
        precondition(limit > 0, "somebody has to fit in")
        self.limit = limit
    }

    /// How many seats are taken.
    package var count: Int { entries.count }

    /// Takes a seat; names the stay that ends for it, if one does.
    package mutating func admit(_ owner: Owner) -> (id: ID, evicted: ID?) {
        let entry = Entry(id: nextID, owner: owner)
        nextID += 1
        var evicted: ID?
        if entries.count == limit {
            let index = evictionIndex(with: owner)
            evicted = entries.remove(at: index).id
        }
        entries.append(entry)
        return (entry.id, evicted)
    }

    /// Gives a seat back; one that was taken away already is none.
    package mutating func release(_ id: ID) {
        entries.removeAll { $0.id == id }
    }

    /// The longest stay of whoever has the most seats once `newcomer` has one more.
    private func evictionIndex(with newcomer: Owner) -> Int {
        var counts: [Owner: Int] = [:]
        for entry in entries { counts[entry.owner, default: entry.owner == newcomer ? 1 : 0] += 1 }
        let most = counts.values.max() ?? 0
        return entries.firstIndex { counts[$0.owner] == most } ?? 0
    }
}
