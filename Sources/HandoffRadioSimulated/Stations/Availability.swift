import HandoffRadio

/// Whether a ``SimulatedRadio`` can be used, and in which session.
enum Availability: Sendable {
    /// ``SimulatedRadio/run()`` was not called yet.
    case idle
    /// The rules of the air switch the station off.
    case off
    /// The station is on the air; each time it is switched on is a session of its own.
    case on(session: Int, Station, [RadioAdvisory])
    /// ``SimulatedRadio/run()`` has ended.
    case ended

    /// The reason why the radio cannot be used, or nil when it can.
    var obstacle: RadioError? {
        switch self {
        case .idle: RadioError(.serviceAbsent, "The simulated radio is not running yet.")
        case .off:
            RadioError(.poweredOff, "The simulated radio is switched off; remove its name from `off` in the air.")
        case .on: nil
        case .ended: RadioError(.serviceAbsent, "The simulated radio has ended.")
        }
    }

    /// Returns why an operation started in `session` cannot continue, or nil when it can.
    func obstacle(since session: Int) -> RadioError? {
        guard case .on(let present, _, _) = self, present != session else { return obstacle }
        return RadioError(.poweredOff, "The simulated radio was switched off and on again; start over.")
    }

    /// The corresponding element of ``SimulatedRadio/states()``.
    var state: RadioState {
        switch self {
        case .on(_, let station, let advisories): .ready(RadioDescription(name: station.name, advisories: advisories))
        case .idle, .off, .ended: .unavailable(obstacle ?? RadioError(.unusable, "The simulated radio is not on."))
        }
    }
}
