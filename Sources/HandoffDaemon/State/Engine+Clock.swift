import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffRadio
import Logging

extension Engine {
    /// Looks more closely, now and then, at an advertisement that no key opens: its sender's clock may be far off.
    func checkClockSkew(_ report: AdvertisementReport) {
        let now = Moment.now
        guard let opener = edit({ $0.clockSkew.shouldCheck(at: now.uptime) ? $0.opener : nil }),
            let found = opener.findWithClockSkew(report.data, slot: now.slot), let device = found.id.device
        else { return }
        let deviceName: String? = edit { state in
            guard state.clockSkew.recordSkew(of: device, bySlots: found.slotOffset, at: now.uptime) else { return nil }
            return state.devices[device]?.name.rawValue
        }
        guard let deviceName else { return }
        logger.warning("\(ClockSkewDetector.explanation(of: deviceName, slots: found.slotOffset))")
        change { state, _ in state.outbox.append(.radioChanged) }
    }

    /// What to tell a person of clocks that are far off.
    var clockAdvisories: [(name: String, message: String)] {
        let now = Moment.now
        return read { state in
            state.clockSkew.skewedDevices(at: now.uptime).compactMap { device, slots in
                state.devices[device].map {
                    ("clock-differs", ClockSkewDetector.explanation(of: $0.name.rawValue, slots: slots))
                }
            }
        }
    }
}
