import HandoffModel

/// The required behaviour of a circle in its simplest form: each device keeps the list of all acts that it knows, two
/// devices that meet copy each other's lists, and the members are computed from the list.
struct CircleModel: Equatable {
    enum Act: Hashable {
        case join(DeviceID, generation: UInt32, name: String)
        case remove(DeviceID, generation: UInt32)
        case rename(DeviceID, generation: UInt32, version: UInt32, author: DeviceID, name: String)

        var device: DeviceID {
            switch self {
            case .join(let id, _, _), .remove(let id, _), .rename(let id, _, _, _, _): id
            }
        }

        var generation: UInt32 {
            switch self {
            case .join(_, let generation, _), .remove(_, let generation), .rename(_, let generation, _, _, _):
                generation
            }
        }
    }

    private(set) var acts: Set<Act> = []

    /// The names of the members.
    var names: [DeviceID: String] {
        Dictionary(uniqueKeysWithValues: Set(acts.map(\.device)).compactMap { id in name(of: id).map { (id, $0) } })
    }

    func name(of id: DeviceID) -> String? {
        let last = lastActs(of: id)
        let isRemoved = last.contains { if case .remove = $0 { true } else { false } }
        return isRemoved ? nil : last.map(Self.naming).max { $0 < $1 }?.2
    }

    mutating func join(_ id: DeviceID, name: String, by author: DeviceID) {
        let last = lastActs(of: id)
        if let known = self.name(of: id) {
            if known != name { rename(id, to: name, by: author) }
        } else {
            acts.insert(.join(id, generation: last.first.map { $0.generation + 1 } ?? 0, name: name))
        }
    }

    mutating func remove(_ id: DeviceID) {
        acts.insert(.remove(id, generation: lastActs(of: id).first?.generation ?? 0))
    }

    mutating func rename(_ id: DeviceID, to name: String, by author: DeviceID) {
        let last = lastActs(of: id)
        let version = last.map { Self.naming($0).0 }.max() ?? 0
        let generation = last.first?.generation ?? 0
        acts.insert(.rename(id, generation: generation, version: version + 1, author: author, name: name))
    }

    mutating func copy(_ other: CircleModel) {
        acts.formUnion(other.acts)
    }

    private func lastActs(of id: DeviceID) -> [Act] {
        let all = acts.filter { $0.device == id }
        let generation = all.map(\.generation).max()
        return all.filter { $0.generation == generation }
    }

    private static func naming(_ act: Act) -> (UInt32, DeviceID, String) {
        switch act {
        case .join(let id, _, let name): (0, id, name)
        case .rename(_, _, let version, let author, let name): (version, author, name)
        case .remove(let id, _): (0, id, "")
        }
    }
}
