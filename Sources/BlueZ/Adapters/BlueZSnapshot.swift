/// The known state of bluetoothd at one moment.
package struct BlueZSnapshot: Hashable, Sendable {
    /// Whether bluetoothd answers.
    package enum Service: Hashable, Sendable {
        /// It was not queried yet, or has just started and has not answered yet.
        case unknown
        case absent
        /// It is running but returned this error.
        case unreachable(BlueZError)
        case running
    }

    package let service: Service

    /// The adapters, ordered by name.
    package let adapters: [Adapter]

    package init(service: Service, adapters: [Adapter]) {
        self.service = service
        self.adapters = adapters
    }

    /// The reason why `adapter` was lost; nil if it is on and has been on without interruption.
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
