import BlueZ

/// Chooses the adapter that the radio uses.
///
/// It is pure. If a name is given, only that adapter is used; otherwise the first usable one is chosen and kept, even
/// while it is switched off, until it is removed.
struct AdapterChoice {
    private let name: String?
    private var chosen: String?

    /// - Parameter name: the kernel's name of the one adapter to use, such as `hci1`; nil for any.
    init(name: String?) {
        self.name = name
        chosen = name
    }

    /// Returns the adapter to use, or the reason why there is none.
    mutating func choose(from snapshot: BlueZSnapshot) -> Result<Adapter, BlueZError> {
        switch snapshot.service {
        case .absent: return .failure(.serviceAbsent)
        case .unknown:
            return .failure(BlueZError(.serviceAbsent, "bluetoothd has not reported its adapters yet: wait a moment"))
        case .unreachable(let error): return .failure(error)
        case .running: break
        }
        let known = snapshot.adapters.first { $0.name == chosen }
        guard let adapter = known ?? (name == nil ? Self.first(of: snapshot.adapters) : nil) else {
            return .failure(.adapterAbsent(name))
        }
        let obstacle = Self.obstacle(adapter)
        if name == nil { chosen = known?.name ?? (obstacle == nil ? adapter.name : nil) }
        return obstacle.map(Result.failure) ?? .success(adapter)
    }

    /// Returns the first usable adapter, otherwise the first one.
    private static func first(of adapters: [Adapter]) -> Adapter? {
        adapters.first { obstacle($0) == nil } ?? adapters.first
    }

    private static func obstacle(_ adapter: Adapter) -> BlueZError? {
        switch adapter.power {
        case .off: return .poweredOff(adapter.name)
        case .blocked: return .blocked(adapter.name)
        case .on: break
        }
        guard adapter.advertising != nil else {
            return BlueZError(
                .adapterAbsent,
                "the Bluetooth adapter \(adapter.name) cannot advertise (yet): it must support Bluetooth 4.0 or later"
            )
        }
        return nil
    }
}

extension BlueZError {
    fileprivate static func adapterAbsent(_ name: String?) -> BlueZError {
        name.map { adapterAbsent($0) } ?? BlueZError(.adapterAbsent, "there is no Bluetooth adapter: plug one in")
    }
}
