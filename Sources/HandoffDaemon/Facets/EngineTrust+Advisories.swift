import HandoffCore
import HandoffModel

/// What the person has to know about this device's state, and about the devices that it cannot read.
extension EngineTrust {
    /// The advisories about this device's own state, and about devices that it cannot read.
    var advisories: [(name: String, message: String)] {
        let obstacle = engine.read(\.trust.stateObstacle).map { reason in
            ("state-unwritable", "What changes cannot be kept, and is refused or lost with a restart: \(reason)")
        }
        return [obstacle].compactMap(\.self) + identityAdvisories + engine.copies.advisories + keyAdvisories
    }

    /// Records why nothing can be kept; nil when it can.
    func setStateObstacle(_ reason: String?) {
        engine.change { state, _ in
            guard state.trust.stateObstacle != reason else { return }
            state.trust.stateObstacle = reason
            state.show(.identityChanged)
        }
    }

    private var identityAdvisories: [(name: String, message: String)] {
        guard engine.read(\.trust.devices.isOutdated) else { return [] }
        let outdated =
            "Another device of yours has a key of this device that it does not know itself. Its state directory may be an "
            + "old copy: then nothing has to be done, since this device has made a new key. Or another machine uses a copy "
            + "of it, which this device reports as `identity-copied` once that machine has proved it."
        return [("identity-outdated", outdated)]
    }

    /// Why this device cannot read what others advertise: not where it is known that the clocks differ at present, which is
    /// an advisory of its own.
    private var keyAdvisories: [(name: String, message: String)] {
        engine.read { state in
            state.shownUnreadable.compactMap { state.trust.devices[$0] }.map { device in
                let name = device.name.rawValue
                let message =
                    "\(name) is not heard: the key that it has told is for another day, because the clock of this computer or "
                    + "of \(name) is wrong, or was. See that both are right (`timedatectl`), and bring both near each other "
                    + "with something to continue on one of them: they tell each other new keys."
                return ("keys-missing", message)
            }
        }
    }
}
