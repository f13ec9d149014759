import HandoffBus
import HandoffModel

extension DeviceDescription {
    /// Returns that the device was not heard for a day, as the beginning of a sentence; nil when it was.
    func silence(at now: Timestamp) -> String? {
        let heard = Timestamp(microseconds: lastSeen)
        if let heard, now.seconds - heard.seconds < 86400 { return nil }
        return "\(name) " + (heard.map { "was last heard \($0.localMinute(at: now))" } ?? "was never heard")
    }
}
