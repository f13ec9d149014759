import HandoffCrypto
import HandoffModel

/// What follows from the statements of a circle for the device at its root (Docs/Circle.md, "What a device concludes").
struct CircleConclusions: Hashable, Sendable {
    /// The known devices, with the root.
    private(set) var known: [DeviceID: DevicePublicKeys] = [:]
    /// The devices that were added with several keys under one identifier, with all of these; the root is never one.
    private(set) var ambiguous: [DeviceID: Set<DevicePublicKeys>] = [:]
    /// The known devices that have added a known device.
    private(set) var introducers: [DeviceID: Set<DeviceID>] = [:]
    /// The known devices that have removed a known device, without the removals that were overruled.
    private(set) var removers: [DeviceID: Set<DeviceID>] = [:]
    /// The trusted devices, with the root.
    private(set) var trusted: Set<DeviceID> = []
    /// For each known device but the root, the one that counts as its introducer: on the shortest way from the root,
    /// of several the one with the lowest identifier.
    private(set) var parents: [DeviceID: DeviceID] = [:]

    private let root: DeviceID

    /// Concludes what follows from the statements in `places`.
    ///
    /// - Parameters:
    ///   - places: the statements.
    ///   - root: the device that concludes.
    ///   - overruled: the removals that do not count.
    init(
        _ places: [CircleStatement.Place: SignedStatement],
        root: DevicePublicKeys,
        overruled: Set<CircleStatement.Place>
    ) {
        self.root = root.device
        known = [root.device: root]
        var additions: [DeviceID: [(subject: DeviceID, keys: DevicePublicKeys)]] = [:]
        for case (let place, .add(_, let keys, _)) in places.mapValues(\.statement) {
            additions[place.author, default: []].append((place.subject, keys))
        }
        findKnown(additions)
        for place in places.keys where place.kind == .remove && !overruled.contains(place) {
            guard known[place.author] != nil, known[place.subject] != nil, place.subject != root.device else {
                continue
            }
            removers[place.subject, default: []].insert(place.author)
        }
        trusted = closure { !isContested($0) }
    }

    /// Returns whether a known device was removed, or shares its identifier with another one: it is not trusted then.
    func isContested(_ id: DeviceID) -> Bool { removers[id] != nil || ambiguous[id] != nil }

    /// Returns the keys under which a statement of a device may be signed; none when the device is not known.
    func keys(of id: DeviceID) -> [DevicePublicKeys] {
        if let all = ambiguous[id] { return Array(all) }
        return known[id].map { [$0] } ?? []
    }

    /// Returns the devices that are reached from the root by introductions, over devices that fulfil `condition`.
    func closure(where condition: (DeviceID) -> Bool) -> Set<DeviceID> {
        var subjects: [DeviceID: [DeviceID]] = [:]
        for (subject, authors) in introducers where subject != root && condition(subject) {
            for author in authors { subjects[author, default: []].append(subject) }
        }
        var found: Set<DeviceID> = [root]
        var next = [root]
        while let author = next.popLast() {
            for subject in subjects[author] ?? [] where found.insert(subject).inserted { next.append(subject) }
        }
        return found
    }

    /// Returns the devices that `introducer` has brought, directly or through those that it brought.
    func brought(by introducer: DeviceID) -> Int {
        known.keys.count { ancestors(of: $0).contains(introducer) }
    }

    /// Returns the device that counts as introducer of a known device, that one's introducer, and so on, without the
    /// root.
    func ancestors(of device: DeviceID) -> [DeviceID] {
        var result: [DeviceID] = []
        var next = parents[device]
        while let ancestor = next, ancestor != root {
            result.append(ancestor)
            next = parents[ancestor]
        }
        return result
    }

    /// Finds the known devices in the order of their distance from the root.
    private mutating func findKnown(_ additions: [DeviceID: [(subject: DeviceID, keys: DevicePublicKeys)]]) {
        var layer = [root]
        while !layer.isEmpty {
            var next: Set<DeviceID> = []
            for author in layer.sorted() {
                for (subject, keys) in additions[author] ?? [] {
                    introducers[subject, default: []].insert(author)
                    if let present = known[subject] {
                        guard present != keys, subject != root else { continue }
                        ambiguous[subject, default: [present]].insert(keys)
                        continue
                    }
                    known[subject] = keys
                    parents[subject] = author
                    next.insert(subject)
                }
            }
            layer = Array(next)
        }
        // The same on every device, whichever keys it has found first.
        for (id, all) in ambiguous {
            known[id] = all.min { $0.rawRepresentation.lexicographicallyPrecedes($1.rawRepresentation) }
        }
    }
}
