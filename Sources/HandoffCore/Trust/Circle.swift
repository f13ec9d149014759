package import HandoffCrypto
package import HandoffModel

/// One device's copy of its circle: the members and the removals.
///
/// Two copies are merged by ``merge(_:)``, whose result does not depend on order, repetition or direction: devices that
/// have received the same updates, by whatever route, have the same circle. For each device the higher generation wins;
/// within one generation a removal outweighs a member; for two descriptions of a member each part has its own rule
/// (`Member.joined(with:)`).
package struct Circle: Hashable, Sendable {
    /// The state of one device.
    package enum MembershipState: Hashable, Sendable {
        case member(Member)
        case removed(Removal)

        var generation: UInt32 {
            switch self {
            case .member(let member): member.generation
            case .removed(let removal): removal.generation
            }
        }
    }

    /// The end of a device's membership.
    package struct Removal: Hashable, Sendable {
        /// The generation that ended; all earlier ones ended with it.
        package let generation: UInt32
        /// One more than the highest number of any removal known to the removing device.
        package let number: UInt32
    }

    private var membershipStates: [DeviceID: MembershipState] = [:]

    /// Creates an empty circle.
    package init() {}

    /// The members, ordered by id.
    package var members: [Member] { ids.compactMap { self[$0] } }

    /// The removals, ordered by the ids of their devices.
    package var removals: [(device: DeviceID, removal: Removal)] {
        ids.compactMap { id in removal(of: id).map { (id, $0) } }
    }

    /// Returns the member with that id; nil when it does not belong to the circle.
    package subscript(id: DeviceID) -> Member? {
        guard case .member(let member) = membershipStates[id] else { return nil }
        return member
    }

    /// Returns the removal of the device with that id; nil when it was not removed.
    package func removal(of id: DeviceID) -> Removal? {
        guard case .removed(let removal) = membershipStates[id] else { return nil }
        return removal
    }

    /// Adds a device to the circle, or gives a member its new name.
    ///
    /// A device that was removed is added in a new generation. Its advertising key arrives with its own copy of the
    /// circle.
    ///
    /// - Throws: ``HandoffError`` with `limitReached`.
    package mutating func insert(_ identity: DeviceIdentity, by introducer: DeviceID?) throws(HandoffError) {
        let id = identity.id
        if var member = self[id] {
            if member.name != identity.name { member.rename(to: identity.name, by: introducer ?? id) }
            membershipStates[id] = .member(member)
            return
        }
        guard members.count < CircleLimits.members else { throw Self.full }
        let generation = try removal(of: id).map { removal throws(HandoffError) in
            try Self.successor(of: removal.generation)
        }
        membershipStates[id] = .member(Member(identity, generation: generation ?? 0, introducedBy: introducer))
    }

    /// Ends a device's membership.
    ///
    /// - Throws: ``HandoffError`` with `unknownDevice`, or `limitReached` after two billion removals.
    package mutating func remove(_ id: DeviceID) throws(HandoffError) {
        guard let member = self[id] else {
            throw HandoffError(.unknownDevice, "No trusted device has the id \(id); see `handoffctl devices`.")
        }
        let last = removals.map(\.removal.number).max() ?? 0
        let removal = Removal(generation: member.generation, number: try Self.successor(of: last))
        membershipStates[id] = .removed(removal)
        forgetOldest()
    }

    /// Gives a member a name, on all devices of the circle.
    ///
    /// - Throws: ``HandoffError`` with `unknownDevice`.
    package mutating func rename(_ id: DeviceID, to name: DeviceName, by author: DeviceID) throws(HandoffError) {
        try update(id) { $0.rename(to: name, by: author) }
    }

    /// Gives a member another advertising key; only that member may do so.
    ///
    /// - Throws: ``HandoffError`` with `unknownDevice`.
    package mutating func renewKey(of id: DeviceID, to key: AdvertisingKey) throws(HandoffError) {
        try update(id) { $0.renewKey(to: key) }
    }

    /// Merges another device's copy into this one.
    ///
    /// - Throws: ``HandoffError`` with `limitReached` when there would be too many members; the circle is then
    ///   unchanged.
    package mutating func merge(_ other: Circle) throws(HandoffError) {
        var draft = self
        for (id, theirs) in other.membershipStates {
            draft.membershipStates[id] = draft.membershipStates[id].map { Self.joined($0, theirs) } ?? theirs
        }
        guard draft.members.count <= CircleLimits.members else { throw Self.full }
        draft.forgetOldest()
        self = draft
    }

    mutating func update(_ id: DeviceID, _ body: (inout Member) -> Void) throws(HandoffError) {
        guard var member = self[id] else {
            throw HandoffError(.unknownDevice, "No trusted device has the id \(id); see `handoffctl devices`.")
        }
        body(&member)
        membershipStates[id] = .member(member)
    }

    mutating func set(_ state: MembershipState, of id: DeviceID) {
        membershipStates[id] = state
    }

    private var ids: [DeviceID] { membershipStates.keys.sorted() }

    private static func joined(_ one: MembershipState, _ other: MembershipState) -> MembershipState {
        guard one.generation == other.generation else { return one.generation > other.generation ? one : other }
        switch (one, other) {
        case (.member(let one), .member(let other)): return .member(one.joined(with: other))
        case (.removed(let one), .removed(let other)): return .removed(one.number >= other.number ? one : other)
        case (.removed, .member): return one
        case (.member, .removed): return other
        }
    }

    private mutating func forgetOldest() {
        let all = removals
        guard all.count > CircleLimits.removals else { return }
        let byAge = all.sorted { ($0.removal.number, $0.device) < ($1.removal.number, $1.device) }
        for (device, _) in byAge.dropLast(CircleLimits.removals) { membershipStates[device] = nil }
    }

    private static func successor(of number: UInt32) throws(HandoffError) -> UInt32 {
        guard number < CircleLimits.number else {
            throw HandoffError(.limitReached, "This circle has changed too often; begin a new one on every device.")
        }
        return number + 1
    }

    private static let full = HandoffError(
        .limitReached,
        "\(CircleLimits.members - 1) devices are trusted, which is the maximum; remove one of them first."
    )
}
