package import HandoffCrypto
package import HandoffModel

/// One device's copy of its circle: what the devices have said about each other, and whom this device trusts because
/// of it (Docs/Circle.md).
///
/// Two copies are joined by `join(_:isValid:)`, whose result does not depend on order, repetition or direction. Nothing
/// is ever taken back: a device that was removed becomes trusted again only by the person at this device
/// (`keep(_:sign:)`).
package struct Circle: Hashable, Sendable {
    /// Signs a statement of this device.
    package typealias Signer = (CircleStatement) -> SignedStatement

    /// The device whose copy it is.
    package let own: DevicePublicKeys
    private let limits: CircleLimits
    private var places: [CircleStatement.Place: SignedStatement]
    /// The removals by others that the person at this device has overruled.
    package private(set) var overruled: Set<CircleStatement.Place>
    private(set) var conclusions: CircleConclusions
    /// How many statements of a kind each author has in ``places``.
    private var counts: [Author: Int] = [:]
    /// Whether a statement was put in its place since the conclusions were made.
    private var isStale = false

    private struct Author: Hashable {
        let kind: CircleStatement.Place.Kind
        let id: DeviceID
    }

    /// Creates a circle of one device.
    package init(of own: DevicePublicKeys, limits: CircleLimits = .standard) {
        self.init(of: own, [], overruled: [], limits: limits)
    }

    /// Restores a copy of a circle from its statements, whose signatures were checked when they were taken in.
    package init(
        of own: DevicePublicKeys,
        _ statements: [SignedStatement],
        overruled: Set<CircleStatement.Place>,
        limits: CircleLimits = .standard
    ) {
        self.own = own
        self.limits = limits
        self.overruled = overruled
        places = [:]
        for statement in statements { places[statement.statement.place] = statement }
        for place in places.keys { counts[Author(kind: place.kind, id: place.author), default: 0] += 1 }
        conclusions = CircleConclusions(places, root: own, overruled: overruled)
    }

    // MARK: What is known

    /// All statements, in the order of their contents.
    package var statements: [SignedStatement] {
        places.values.map { ($0, $0.statement.content) }.sorted { $0.1.lexicographicallyPrecedes($1.1) }.map(\.0)
    }

    /// The circle digest, by which devices recognize that they have the same statements: the SHA-256 of the contents in
    /// ascending order.
    ///
    /// All 32 bytes: names are free text, so a member can search for two different circles whose digests have the same
    /// first 8 bytes, and hide a removal from a device that compares only those.
    package var digest: [UInt8] { HandoffDigest.sha256(statements.flatMap(\.statement.content)) }

    /// All known devices but this one, in the order of their ids.
    package var known: [Member] { conclusions.known.keys.sorted().compactMap { self[$0] } }

    /// The trusted devices without this one, in the order of their ids.
    package var members: [Member] { conclusions.trusted.sorted().compactMap { self[$0] } }

    /// The ids of the trusted devices without this one.
    package var trustedIDs: Set<DeviceID> { conclusions.trusted.subtracting(CollectionOfOne(own.device)) }

    /// Returns whether a device is known; this one is.
    package func knows(_ id: DeviceID) -> Bool { conclusions.known[id] != nil }

    /// Returns whether a device is trusted; this one is.
    package func trusts(_ id: DeviceID) -> Bool { conclusions.trusted.contains(id) }

    /// Returns the known device with that id; nil for this one.
    package subscript(id: DeviceID) -> Member? {
        guard id != own.device, let keys = conclusions.known[id] else { return nil }
        let introducers = conclusions.introducers[id, default: []].intersection(conclusions.trusted)
        return Member(
            keys: keys,
            name: name(of: id),
            introducedBy: introducers.contains(own.device) ? own.device : introducers.min(),
            standing: standing(of: id)
        )
    }

    /// The name of a known device, which may be this one: the one with the highest version and author among the names
    /// by trusted devices and the device itself, else that of the trusted device with the lowest id that has added it.
    package func name(of id: DeviceID) -> DeviceName {
        let name = newestName(of: id) ?? nameOnAddition(of: id) ?? ""
        return DeviceName(cleaning: name, of: id)
    }

    /// Returns the devices that would not be trusted any more if `id` were removed as well, in the order of their ids.
    package func orphans(without id: DeviceID) -> [DeviceID] {
        let remaining = conclusions.closure { $0 != id && !conclusions.isContested($0) }
        return conclusions.trusted.subtracting(remaining).filter { $0 != id }.sorted()
    }

    /// Returns the known devices that `id` has removed, in their order.
    package func removals(by id: DeviceID) -> [DeviceID] {
        conclusions.removers.filter { $0.value.contains(id) }.keys.sorted()
    }

    private func standing(of id: DeviceID) -> DeviceStanding {
        if conclusions.trusted.contains(id) { return .trusted }
        // No decision of a person can tell the devices apart.
        guard conclusions.ambiguous[id] == nil else {
            return .removed(by: conclusions.introducers[id, default: []].sorted())
        }
        guard let removers = conclusions.removers[id] else {
            return .orphaned(broughtBy: conclusions.introducers[id, default: []].sorted())
        }
        let trusted = removers.intersection(conclusions.trusted)
        return trusted.isEmpty ? .disputed(by: removers.sorted()) : .removed(by: trusted.sorted())
    }

    private func newestName(of id: DeviceID) -> String? {
        var newest: (version: UInt32, author: DeviceID, name: String)?
        for case .name(let author, id, let version, let name) in places.values.lazy.map(\.statement) {
            guard author == id || conclusions.trusted.contains(author) else { continue }
            if let newest, (newest.version, newest.author) > (version, author) { continue }
            newest = (version, author, name)
        }
        return newest?.name
    }

    private func nameOnAddition(of id: DeviceID) -> String? {
        let introducers = conclusions.introducers[id, default: []]
        let introducer = introducers.intersection(conclusions.trusted).min() ?? introducers.min()
        let keys = conclusions.known[id]
        let place = introducer.map { CircleStatement.Place(kind: .add, author: $0, subject: id, keys: keys) }
        guard case .add(_, _, let name)? = place.flatMap({ places[$0]?.statement }) else { return nil }
        return name
    }

    // MARK: Taking statements in

    /// Takes in what other devices have said, as far as the limits allow; nothing that is here is displaced.
    ///
    /// - Parameters:
    ///   - statements: the statements, with signatures that may be invalid.
    ///   - isValid: checks the signature of a statement by the device with these keys.
    package mutating func join(
        _ statements: [SignedStatement],
        isValid: (SignedStatement, DevicePublicKeys) -> Bool = { $0.isValid(for: $1) }
    ) {
        var pending = statements.filter { changes($0.statement) }
            .map { ($0, $0.statement.content) }
            .sorted { $0.1.lexicographicallyPrecedes($1.1) }
            .map { Pending(signed: $0.0) }
        var isProgressing = true
        while isProgressing {
            isProgressing = false
            var remaining: [Pending] = []
            for var next in pending {
                let keys = keysIfJudgeable(next.signed.statement).filter { next.refused.insert($0).inserted }
                guard keys.contains(where: { isValid(next.signed, $0) }) else {
                    // Another message part may make its author known, or further keys of its author.
                    remaining.append(next)
                    continue
                }
                guard changes(next.signed.statement), fits(next.signed.statement) else { continue }
                insert(next.signed)
                isProgressing = true
            }
            pending = remaining
            if isStale { conclude() }
        }
    }

    /// A received statement that was not taken in yet.
    private struct Pending {
        let signed: SignedStatement
        /// The keys under which its signature was checked.
        var refused: Set<DevicePublicKeys> = []
    }

    /// Returns the keys under which the statement may be signed once it can be judged: its author is known, and its
    /// subject, too, unless the statement makes it known; none before.
    private func keysIfJudgeable(_ statement: CircleStatement) -> [DevicePublicKeys] {
        let keys = conclusions.keys(of: statement.author)
        if case .add = statement { return keys }
        return conclusions.known[statement.subject] == nil ? [] : keys
    }

    /// Whether a statement would change this copy, apart from the limits.
    private func changes(_ statement: CircleStatement) -> Bool {
        guard let present = places[statement.place]?.statement else { return true }
        return statement.outranks(present)
    }

    /// Whether there is room for a statement by a known device.
    private mutating func fits(_ statement: CircleStatement) -> Bool {
        let place = statement.place
        guard places[place] == nil else { return true }
        let count = counts[Author(kind: place.kind, id: place.author), default: 0]
        switch place.kind {
        case .remove: return count < limits.removals
        case .name: return count < limits.names
        case .add:
            guard count < limits.additions else { return false }
            guard conclusions.known[place.subject] == nil else { return true }
            if isStale { conclude() }
            return fitsAnother(by: place.author)
        }
    }

    /// Whether there is room for another device that `author` brings.
    private func fitsAnother(by author: DeviceID) -> Bool {
        guard conclusions.known.count <= limits.knownDevices else { return false }
        let bringers = author == own.device ? [] : [author] + conclusions.ancestors(of: author)
        return bringers.allSatisfy { conclusions.brought(by: $0) < limits.broughtDevices }
    }

    /// Puts a statement in its place.
    ///
    /// Who is known is right afterwards, and the rest after `conclude`.
    private mutating func insert(_ signed: SignedStatement) {
        let place = signed.statement.place
        counts[Author(kind: place.kind, id: place.author), default: 0] += places[place] == nil ? 1 : 0
        places[place] = signed
        switch place.kind {
        // Who is known does not depend on it, and there may be thousands.
        case .add where isKnown(place): isStale = true
        case .remove: isStale = true
        case .add: conclude()
        case .name: break
        }
    }

    /// Whether the device that a statement adds is known, with the same keys.
    private func isKnown(_ place: CircleStatement.Place) -> Bool {
        place.keys.map { conclusions.keys(of: place.subject).contains($0) } ?? false
    }

    private mutating func conclude() {
        conclusions = CircleConclusions(places, root: own, overruled: overruled)
        isStale = false
    }
}

// MARK: What this device says

extension Circle {
    /// Trusts a device, which becomes a member, or gives a member its new name.
    ///
    /// - Throws: ``HandoffError`` with `limitReached`, or `deviceRemoved` when the device was removed or is disputed:
    ///   only `keep(_:sign:)` makes it trusted again.
    package mutating func add(_ identity: DeviceIdentity, sign: Signer) throws(HandoffError) {
        guard conclusions.keys(of: identity.id).allSatisfy({ $0 == identity.publicKeys }) else {
            throw Self.ambiguous(identity.id)
        }
        if let member = self[identity.id], conclusions.removers[identity.id] != nil {
            throw HandoffError(
                .deviceRemoved,
                "\(member.name) was removed from this circle. Run `handoffctl devices leave` there, and add it again; "
                    + "or, if its removal was a mistake, run `handoffctl devices keep \(identity.id)` here."
            )
        }
        let addition = CircleStatement.add(author: own.device, identity.publicKeys, name: identity.name.rawValue)
        if places[addition.place] == nil { try say(addition, sign) }
        if name(of: identity.id) != identity.name { try rename(identity.id, to: identity.name, sign: sign) }
    }

    /// Removes a known device for ever.
    ///
    /// - Throws: ``HandoffError`` with `unknownDevice` or `limitReached`.
    package mutating func remove(_ id: DeviceID, sign: Signer) throws(HandoffError) {
        guard self[id] != nil else { throw Self.unknown(id) }
        let removal = CircleStatement.remove(author: own.device, id)
        if places[removal.place] == nil { try say(removal, sign) }
        if overruled.remove(removal.place) != nil { conclude() }
    }

    /// Trusts a known device again, whoever has removed or brought it; the person at this device is responsible.
    ///
    /// - Throws: ``HandoffError`` with `unknownDevice` or `limitReached`.
    package mutating func keep(_ id: DeviceID, sign: Signer) throws(HandoffError) {
        guard let member = self[id] else { throw Self.unknown(id) }
        guard conclusions.ambiguous[id] == nil else { throw Self.ambiguous(id) }
        let addition = CircleStatement.add(author: own.device, member.keys, name: member.name.rawValue)
        if places[addition.place] == nil { try say(addition, sign) }
        for remover in conclusions.removers[id, default: []] {
            overruled.insert(CircleStatement.Place(kind: .remove, author: remover, subject: id))
        }
        conclude()
    }

    /// Gives a trusted device, which may be this one, a name on all devices of the circle.
    ///
    /// - Throws: ``HandoffError`` with `unknownDevice` or `limitReached`.
    package mutating func rename(_ id: DeviceID, to name: DeviceName, sign: Signer) throws(HandoffError) {
        guard trusts(id) else { throw Self.unknown(id) }
        // A device names itself with version 0 before others know that name.
        var version: UInt32 = id == own.device ? 0 : 1
        for case .name(let author, id, let other, _) in places.values.lazy.map(\.statement) where other >= version {
            // What a device said that is not trusted any more does not count.
            guard author == id || trusts(author) else { continue }
            // Two statements with one version are ordered by their bytes: the later one would be lost elsewhere.
            guard other < .max else { throw Self.unchangeable(id, namedBy: author) }
            version = other + 1
        }
        try say(.name(author: own.device, id, version: version, name.rawValue), sign)
    }

    private mutating func say(_ statement: CircleStatement, _ sign: Signer) throws(HandoffError) {
        guard fits(statement) else {
            throw HandoffError(
                .limitReached,
                "This circle has no room for more changes by this device. Make the change on another device, or begin "
                    + "a new circle with `handoffctl devices leave` on every device."
            )
        }
        insert(sign(statement))
        conclude()
    }

    private static func ambiguous(_ id: DeviceID) -> HandoffError {
        HandoffError(
            .deviceRemoved,
            "Two devices have the id \(id): somebody has made keys for that. Neither is trusted. If one is yours, run "
                + "`handoffctl devices leave` there, and add it again."
        )
    }

    private static func unchangeable(_ id: DeviceID, namedBy author: DeviceID) -> HandoffError {
        HandoffError(
            .limitReached,
            "The name of \(id) cannot be changed: \(author) has given it one that no other replaces, as no device of yours "
                + "does. Remove \(author), if you do not trust it, and try again."
        )
    }

    private static func unknown(_ id: DeviceID) -> HandoffError {
        HandoffError(.unknownDevice, "No trusted device has the id \(id); see `handoffctl devices`.")
    }
}
