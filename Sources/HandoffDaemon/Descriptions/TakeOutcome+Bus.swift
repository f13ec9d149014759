import HandoffBus
import HandoffWire

extension TakeOutcome.Kind {
    /// The name of the kind on the bus, as in the outcome of `Continue`.
    var name: String {
        switch self {
        case .app: "app"
        case .browser: "browser"
        case .document: "document"
        }
    }
}

extension TakeOutcome.Reason {
    /// Returns a sentence for the user of this device.
    func message(about device: String) -> String {
        switch self {
        case .failed: "\(device) received the activity and could not continue it."
        case .notContinuable: "No app on \(device) continues the activity."
        case .appFailed: "The app on \(device) that should continue the activity failed."
        case .cancelled: "The continuation on \(device) was cancelled."
        case .documentMissing: "The document of the activity has not reached \(device)."
        case .browserFailed: "The browser on \(device) could not open the web page of the activity."
        case .viewerFailed: "The app on \(device) for the document of the activity could not open it."
        }
    }
}

extension HandoffErrorName {
    /// Creates the name for the reason why a device does not go on with an activity.
    init(_ reason: TakeOutcome.Reason) {
        self =
            switch reason {
            case .failed: .peerRefused
            case .notContinuable: .notContinuable
            case .appFailed, .browserFailed, .viewerFailed: .appFailed
            case .cancelled: .userCancelled
            case .documentMissing: .documentMissing
            }
    }
}
