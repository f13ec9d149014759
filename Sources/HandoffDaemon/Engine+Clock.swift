import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffRadio
import Logging

extension Engine {
    /// Looks more closely, now and then, at an advertisement that no key opens: its sender's clock may be far off.
    func compareClocks(_ sighting: Sighting) {
        let now = Moment.now
        guard let opener = edit({ $0.clocks.look(at: now.uptime) ? $0.opener : nil }),
            let found = opener.findDistant(sighting.data, slot: now.slot), let device = found.id.device
        else { return }
        let news: String? = edit { state in
            guard state.clocks.differs(device, bySlots: found.slotOffset, at: now.uptime) else { return nil }
            return state.devices[device]?.name.rawValue
        }
        guard let news else { return }
        logger.warning("\(ClockComparison.explanation(of: news, slots: found.slotOffset))")
        change { state, _ in state.outbox.append(.radioChanged) }
    }

    /// What to tell a person of clocks that are far off.
    var clockAdvisories: [(name: String, message: String)] {
        let now = Moment.now
        return read { state in
            state.clocks.differing(at: now.uptime).compactMap { device, slots in
                state.devices[device].map {
                    ("clock-differs", ClockComparison.explanation(of: $0.name.rawValue, slots: slots))
                }
            }
        }
    }
}
