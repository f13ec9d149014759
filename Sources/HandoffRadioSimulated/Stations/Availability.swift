import HandoffRadio

/// Whether a ``SimulatedRadio`` can be used, and in which stretch of being on.
enum Availability: Sendable {
    /// ``SimulatedRadio/run()`` was not called yet.
    case idle
    /// The air says that the station is switched off.
    case off
    /// The station is on the air; each time it is switched on is a session of its own.
    case on(session: Int, Station, [RadioAdvisory])
    /// ``SimulatedRadio/run()`` has ended.
    case ended

    /// Why the radio cannot be used, or nil when it can.
    var obstacle: RadioError? {
        switch self {
        case .idle: RadioError(.serviceAbsent, "The simulated radio does not run yet.")
        case .off:
            RadioError(.poweredOff, "The simulated radio is switched off; remove its name from `off` in the air.")
        case .on: nil
        case .ended: RadioError(.serviceAbsent, "The simulated radio has ended.")
        }
    }

    /// Why what began in `session` cannot go on, or nil when it can.
    func obstacle(since session: Int) -> RadioError? {
        guard case .on(let present, _, _) = self, present != session else { return obstacle }
        return RadioError(.poweredOff, "The simulated radio was switched off and on again; start anew.")
    }

    /// What ``SimulatedRadio/states()`` says of it.
    var state: RadioState {
        switch self {
        case .on(_, let station, let advisories): .ready(RadioDescription(name: station.name, advisories: advisories))
        case .idle, .off, .ended: .unavailable(obstacle ?? RadioError(.unusable, "The simulated radio is not on."))
        }
    }
}
