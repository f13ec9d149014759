/// Everything that is known about bluetoothd at one moment.
package struct BlueZSnapshot: Hashable, Sendable {
    /// Whether bluetoothd answers.
    package enum Service: Hashable, Sendable {
        /// It was not asked yet, or has just come and has not answered yet.
        case unknown
        case absent
        /// It runs and will not talk to us.
        case unreachable(BlueZError)
        case running
    }

    package let service: Service

    /// In the order of their names.
    package let adapters: [Adapter]

    package init(service: Service, adapters: [Adapter]) {
        self.service = service
        self.adapters = adapters
    }

    /// What became of `adapter`; nil when it is switched on and has been so all the time.
    package func loss(of adapter: Adapter) -> BlueZError? {
        switch service {
        case .absent, .unknown: return .serviceRestarted
        case .unreachable(let error): return error
        case .running: break
        }
        guard let now = adapters.first(where: { $0.path == adapter.path }) else { return .adapterAbsent(adapter.name) }
        switch now.power {
        case .off: return .poweredOff(adapter.name)
        case .blocked: return .blocked(adapter.name)
        case .on: return now.incarnation == adapter.incarnation ? nil : .poweredOff(adapter.name)
        }
    }
}
