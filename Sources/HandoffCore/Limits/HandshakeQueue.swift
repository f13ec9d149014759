package import HandoffModel

/// Decides which unauthenticated peers may use a handshake now, and which wait; pure.
///
/// A peer takes a place to authenticate, or waits in line for one. A peer in a place cannot be displaced before
/// ``minimumStay``, which is enough for an honest one; a place that a peer has left without authenticating is not given
/// on before ``cooling``. However many strangers dial, a caller that waits is therefore served after those that came
/// before it, and the work for strangers is limited. Addresses that have authenticated lately go first, with one channel
/// at a time and until one fails: anybody can use the address of another device.
package struct HandshakeQueue<Owner: Hashable & Sendable>: Sendable {
    /// The id of one peer's stay; never reused.
    package typealias ID = SerialID<HandshakeQueue>

    /// What the caller has to do.
    package enum Action: Hashable, Sendable {
        /// The peer has a place.
        case admit(ID)
        /// The peer loses its place, or gets none: close its channel.
        case dismiss(ID)
    }

    /// The number of places: as many peers as a controller has links are served at once.
    package static var places: Int { 16 }
    /// The number of further places for addresses that have authenticated lately.
    package static var reservedPlaces: Int { 4 }
    /// The most peers that wait.
    package static var maximumWaiting: Int { 64 }
    /// How long a peer keeps its place in any case: the greeting and the first message take four connection events of
    /// 50 ms, and some are lost.
    package static var minimumStay: Duration { .milliseconds(500) }
    /// How long the place of a peer that did not authenticate is in use at least: 160 trials in a second at most, which
    /// take a small part of one processor with 20 devices.
    package static var cooling: Duration { .milliseconds(100) }
    /// How long an address is remembered: private addresses change every 15 minutes.
    package static var memory: Duration { .seconds(900) }
    /// The most addresses that are remembered: more than a user has devices nearby.
    package static var maximumKnown: Int { 32 }

    private struct Entry: Sendable {
        let id: ID
        let owner: Owner
        /// When it got its place; the time of its arrival while it waits.
        var since: Duration
        let isKnown: Bool
    }

    private var admitted: [Entry] = []
    /// The peers that wait, in the order of their arrival.
    private var waiting: [Entry] = []
    /// The times at which the places of failed peers become free.
    private var cooling: [Duration] = []
    /// Until when the addresses that have authenticated are remembered.
    private var known: [Owner: Duration] = [:]
    private var nextID: ID = 1

    package init() {}

    /// The number of peers that have a place.
    package var admittedCount: Int { admitted.count }
    /// The number of peers that wait.
    package var waitingCount: Int { waiting.count }

    /// The time at which `advance(to:)` has something to do; nil when nobody waits.
    package var deadline: Duration? {
        guard !waiting.isEmpty else { return nil }
        return (cooling + admitted.map { $0.since + Self.minimumStay }).min()
    }

    /// Adds a peer; returns its id, and what follows.
    package mutating func arrive(_ owner: Owner, at now: Duration) -> (id: ID, actions: [Action]) {
        let isKnown = known[owner].map { $0 > now } ?? false
        let entry = Entry(id: nextID, owner: owner, since: now, isKnown: isKnown)
        nextID = nextID.next
        var actions: [Action] = []
        if waiting.count == Self.maximumWaiting {
            guard let displaced = displacedIndex(by: entry) else { return (entry.id, [.dismiss(entry.id)]) }
            actions.append(.dismiss(waiting.remove(at: displaced).id))
        }
        waiting.append(entry)
        return (entry.id, actions + advance(to: now))
    }

    /// Removes a peer that has authenticated or given up; returns what follows.
    package mutating func leave(_ id: ID, hasAuthenticated: Bool, at now: Duration) -> [Action] {
        waiting.removeAll { $0.id == id }
        if let index = admitted.firstIndex(where: { $0.id == id }) {
            let entry = admitted.remove(at: index)
            if hasAuthenticated { remember(entry.owner, at: now) } else { known[entry.owner] = nil }
            if !hasAuthenticated, entry.since + Self.cooling > now {
                cooling.append(entry.since + Self.cooling)
            }
        }
        return advance(to: now)
    }

    /// Gives free places to those that wait, and takes places from those that have had theirs for long enough.
    package mutating func advance(to now: Duration) -> [Action] {
        cooling.removeAll { $0 <= now }
        var actions: [Action] = []
        while let index = nextIndex {
            if !hasRoom(for: waiting[index]) {
                guard let displaced = displacedIndex(at: now) else { break }
                let dismissed = admitted.remove(at: displaced)
                known[dismissed.owner] = nil
                actions.append(.dismiss(dismissed.id))
            }
            var entry = waiting.remove(at: index)
            entry.since = now
            admitted.append(entry)
            actions.append(.admit(entry.id))
        }
        return actions
    }

    /// The index of the peer that gets the next place: a known one, else one whose address has the fewest places, of
    /// these the one that has waited longest.
    private var nextIndex: Int? {
        if let first = waiting.firstIndex(where: goesFirst) { return first }
        let counts = counts
        return waiting.indices.min { left, right in
            let (mine, other) = (counts[waiting[left].owner] ?? 0, counts[waiting[right].owner] ?? 0)
            return (mine, left) < (other, right)
        }
    }

    private var counts: [Owner: Int] { admitted.reduce(into: [:]) { $0[$1.owner, default: 0] += 1 } }

    /// Whether a peer goes before those that came earlier: its address has authenticated lately, and has no place.
    private func goesFirst(_ entry: Entry) -> Bool {
        entry.isKnown && known[entry.owner] != nil && !admitted.contains { $0.owner == entry.owner }
    }

    /// The index of the peer that leaves the full line for a newcomer: the last one of the address that has most there,
    /// or a stranger for a newcomer that goes first; nil when the newcomer has to go.
    private func displacedIndex(by newcomer: Entry) -> Int? {
        let counts = waiting.reduce(into: [newcomer.owner: 1]) { $0[$1.owner, default: 0] += 1 }
        if let most = counts.values.max(), most > counts[newcomer.owner] ?? 0 {
            return waiting.lastIndex { counts[$0.owner] == most }
        }
        guard goesFirst(newcomer), counts[newcomer.owner] == 1 else { return nil }
        return waiting.lastIndex { !$0.isKnown }
    }

    private func hasRoom(for entry: Entry) -> Bool {
        let limit = goesFirst(entry) ? Self.places + Self.reservedPlaces : Self.places
        return admitted.count + cooling.count < limit
    }

    /// The index of the peer that loses its place: of the address with the most, the one that has had it longest.
    private func displacedIndex(at now: Duration) -> Int? {
        let counts = counts
        return admitted.indices.filter { admitted[$0].since + Self.minimumStay <= now }
            .max { left, right in
                let (mine, other) = (counts[admitted[left].owner] ?? 0, counts[admitted[right].owner] ?? 0)
                return (mine, admitted[right].since) < (other, admitted[left].since)
            }
    }

    private mutating func remember(_ owner: Owner, at now: Duration) {
        known = known.filter { $0.value > now }
        if known[owner] == nil, known.count == Self.maximumKnown, let oldest = known.min(by: { $0.value < $1.value }) {
            known[oldest.key] = nil
        }
        known[owner] = now + Self.memory
    }
}
