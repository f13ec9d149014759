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
            engine.peerLog.log("activity.fetched", "an activity was fetched")
            logger.debug("fetched", metadata: ["device": "\(device)", "type": "\(activity.type.rawValue)"])
        case .stream:
            engine.peerLog.log("stream.opened", "a stream was opened")
            logger.debug("opened a stream", metadata: ["device": "\(device)"])
        case .refusal(let refusal):
            engine.peerLog.log("request.refused", "a request was refused: \(refusal.message)")
            logger.debug("refused", metadata: ["device": "\(device)"])
        case .circle, .noted, .settled: break
        }
    }
}
