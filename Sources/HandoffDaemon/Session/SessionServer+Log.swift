import HandoffModel
import HandoffWire
import Logging

/// What the log tells about the answers of this device.
extension SessionServer {
    /// Logs an answer that has arrived.
    func log(_ prepared: EngineSessions.PreparedAnswer, to device: DeviceID) {
        // Others can read the journal (groups adm and systemd-journal): which device does what is told at debug level.
        switch prepared.answer {
        case .activity where !prepared.isTake:
            logger.debug("an activity was previewed", metadata: ["event": "activity.previewed", "device": "\(device)"])
        case .activity(let activity):
            logger.info("an activity was fetched", metadata: ["event": "activity.fetched"])
            logger.debug("fetched", metadata: ["device": "\(device)", "type": "\(activity.type.rawValue)"])
        case .stream:
            logger.info("a stream was opened", metadata: ["event": "stream.opened"])
            logger.debug("opened a stream", metadata: ["device": "\(device)"])
        case .refusal(let refusal):
            logger.info("a request was refused: \(refusal.message)", metadata: ["event": "request.refused"])
            logger.debug("refused", metadata: ["device": "\(device)"])
        case .circle, .noted, .settled: break
        }
    }
}
