import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffRadio
import Logging

extension Engine {
    /// Checks at intervals whether an advertisement that no key opens comes from a device whose clock is far off.
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
        logger.warning(
            "\(ClockSkewDetector.explanation(of: deviceName, slots: found.slotOffset))",
            metadata: ["event": "clock.skewed"]
        )
        change { state, _ in state.outbox.append(.radioChanged) }
    }

    /// The advisories about devices whose clocks are far off.
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
