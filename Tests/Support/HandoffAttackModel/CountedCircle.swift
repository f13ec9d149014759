/// One device's copy of the circle in version 1 of this project's protocol: unsigned states of devices, merged by
/// counters.
///
/// Whoever is trusted by one device may write what it likes about all of them.
package struct CountedCircle: Hashable, Sendable {
    /// A copy of a circle has no room for another device, or a counter none for another change.
    package struct LimitReached: Error {}

    /// The state of one device.
    package enum State: Hashable, Sendable {
        case member(Member)
        case removed(generation: UInt32, number: UInt32)

        fileprivate var generation: UInt32 {
            switch self {
            case .member(let member): member.generation
            case .removed(let generation, _): generation
            }
        }
    }

    /// What is known about a member.
    package struct Member: Hashable, Sendable {
        package var generation: UInt32 = 0
        package var key: [UInt8] = []
        package var keyVersion: UInt32 = 0
        package var name = ""
        package var nameVersion: UInt32 = 0

        package init() {}

        fileprivate func joined(with other: Member) -> Member {
            var result = self
            if (other.keyVersion, Bytes(other.key)) > (keyVersion, Bytes(key)) {
                (result.key, result.keyVersion) = (other.key, other.keyVersion)
            }
            if (other.nameVersion, other.name) > (nameVersion, name) {
                (result.name, result.nameVersion) = (other.name, other.nameVersion)
            }
            return result
        }
    }

    /// The highest value of every counter.
    package static let maximumNumber: UInt32 = 0x7FFF_FFFF
    /// The number of members beyond which two copies were not merged.
    package static let maximumMembers = 101
    /// The number of removals beyond which those with the lowest numbers were forgotten.
    package static let maximumRemovals = 200

    /// The states of the devices by their numbers; a lying device writes any.
    package var states: [Int: State] = [:]

    /// A copy in which these devices are members.
    package init(_ members: Range<Int>) {
        for device in members { states[device] = .member(Member()) }
    }

    /// Whether a device is a member.
    package func trusts(_ device: Int) -> Bool { self[device] != nil }

    /// The member with that number; nil when it is none.
    package subscript(device: Int) -> Member? {
        guard case .member(let member) = states[device] else { return nil }
        return member
    }

    /// Adds a device, in a new generation when it was removed.
    package mutating func add(_ device: Int) throws {
        var member = Member()
        if case .removed(let generation, _) = states[device] { member.generation = try Self.successor(of: generation) }
        states[device] = .member(member)
    }

    /// Removes a member.
    package mutating func remove(_ device: Int) throws {
        guard let member = self[device] else { return }
        let number = try Self.successor(of: removals.map(\.number).max() ?? 0)
        states[device] = .removed(generation: member.generation, number: number)
        forgetOldest()
    }

    /// Gives a member another key under the next version, as far as there is one.
    package mutating func renewKey(of device: Int, to key: [UInt8]) {
        guard var member = self[device] else { return }
        (member.key, member.keyVersion) = (key, min(member.keyVersion + 1, Self.maximumNumber))
        states[device] = .member(member)
    }

    /// Gives a member another name under the next version, as far as there is one.
    package mutating func rename(_ device: Int, to name: String) {
        guard var member = self[device] else { return }
        let version = min(member.nameVersion + 1, Self.maximumNumber)
        // At the highest version the greater name stays.
        guard version > member.nameVersion || name > member.name else { return }
        (member.name, member.nameVersion) = (name, version)
        states[device] = .member(member)
    }

    /// Merges another copy into this one.
    ///
    /// - Throws: ``LimitReached`` when there would be too many members; then nothing has changed.
    package mutating func merge(_ other: CountedCircle) throws {
        var draft = self
        for (device, theirs) in other.states {
            draft.states[device] = draft.states[device].map { Self.joined($0, theirs) } ?? theirs
        }
        guard draft.states.keys.count(where: draft.trusts) <= Self.maximumMembers else { throw LimitReached() }
        draft.forgetOldest()
        self = draft
    }

    private var removals: [(device: Int, number: UInt32)] {
        states.compactMap { device, state in
            guard case .removed(_, let number) = state else { return nil }
            return (device, number)
        }
    }

    private mutating func forgetOldest() {
        let byAge = removals.sorted { ($0.number, $0.device) < ($1.number, $1.device) }
        for (device, _) in byAge.dropLast(Self.maximumRemovals) { states[device] = nil }
    }

    private static func joined(_ one: State, _ other: State) -> State {
        guard one.generation == other.generation else { return one.generation > other.generation ? one : other }
        return switch (one, other) {
        case (.member(let one), .member(let other)): .member(one.joined(with: other))
        case (.removed(_, let first), .removed(_, let second)): first >= second ? one : other
        case (.removed, .member): one
        case (.member, .removed): other
        }
    }

    private static func successor(of number: UInt32) throws -> UInt32 {
        guard number < maximumNumber else { throw LimitReached() }
        return number + 1
    }
}

/// Bytes in their order.
private struct Bytes: Comparable {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    static func < (one: Bytes, other: Bytes) -> Bool { one.bytes.lexicographicallyPrecedes(other.bytes) }
}
